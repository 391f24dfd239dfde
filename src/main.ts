import { createProgram } from './cli/program.ts'

process.exitCode = await createProgram(process).run(process.argv.slice(2))
// The connection of a worker to its supervisor would keep it running.
if (process.exitCode !== 0 && process.connected) process.exit()
