import { createProgram } from './cli/program.ts'

process.exitCode = await createProgram(process).run(process.argv.slice(2))
