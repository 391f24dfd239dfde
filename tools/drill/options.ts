import { parseArgs } from 'node:util'
import { faults } from './faults.ts'

export interface DrillOptions {
  only: readonly string[]
  minutes: number
  isHelp: boolean
  /** Where the logs of all programs are copied to. */
  logs: string | undefined
}

/** The drill may not take longer, in minutes. */
const maxMinutes = 15

export const help = `npm run drill -- [--only fault]… [--minutes number] [--logs folder]

Starts etcd, three nodes of PostgreSQL with Patroni, HAProxy, PgBouncer, an S3 server and two Quoin with two workers each, from
packages of Debian, in a temporary folder on the loopback interface. Puts load on them, causes one fault after the other, and prints what clients saw.
Exits with 1 if an acknowledged write was lost, an ended session was accepted, a request waited for more than 5 seconds or got a 500.

  --only <fault>      cause only this fault; can be repeated
  --minutes <number>  end after so many minutes, at most ${maxMinutes} (the default)
  --logs <folder>     copy the logs of all programs to this folder
  --help              this text

Faults:
${faults.map(({ name, description }) => `  ${name.padEnd(18)}  ${description}`).join('\n')}
`

/** Throws with a message for the operator if an option is not valid. */
export function readOptions(args: readonly string[]): DrillOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      minutes: { type: 'string', default: String(maxMinutes) },
      logs: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const unknown = values.only.filter(name => faults.every(fault => fault.name !== name))
  if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}; --help lists them.`)
  const minutes = Number(values.minutes)
  if (!(minutes > 0 && minutes <= maxMinutes)) throw new Error(`--minutes is a number up to ${maxMinutes}.`)
  return { only: values.only, minutes, isHelp: values.help, logs: values.logs }
}
