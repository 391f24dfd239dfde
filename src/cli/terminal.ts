import { createInterface } from 'node:readline'
import { type Readable, Writable } from 'node:stream'
import { BackupRefusal } from '../transfer/backup/refusal.ts'
import { ApiError } from '../platform/errors.ts'
import { ConfigError } from '../platform/config.ts'
import { MediaUnavailable } from '../platform/media/media.ts'
import { NewerStore } from '../platform/store/migrate.ts'

/** A mistake of the user. The message is one line. */
export class UsageError extends Error {}

/** Streams and environment of a command: those of the process, or those of a test. */
export interface Terminal {
  stdin: Readable & { isTTY?: boolean }
  stdout: Writable
  stderr: Writable & { isTTY?: boolean }
  env: NodeJS.ProcessEnv
  /** Extensions that are left out: `--without`. */
  without?: readonly string[]
}

/** 0: success, 1: failure, 2: wrong usage. */
export type ExitCode = 0 | 1 | 2

/** Prints text for people, or the same as JSON for scripts. */
export function print({ stdout }: Terminal, json: boolean, value: unknown, text: string): void {
  stdout.write(`${json ? JSON.stringify(value) : text}\n`)
}

/** Prints an error, one line per message, and returns the exit code. */
export function report({ stdout, stderr }: Terminal, error: unknown, json: boolean): ExitCode {
  const lines = linesOf(error)
  if (json)
    stdout.write(
      `${JSON.stringify({ status: 'error', key: error instanceof ApiError ? `error.${error.key}` : null, messages: lines })}\n`,
    )
  else for (const line of lines) stderr.write(`quoin: ${line}\n`)
  return error instanceof UsageError ? 2 : 1
}

function linesOf(error: unknown): string[] {
  if (error instanceof ConfigError) return error.problems
  if ([ApiError, MediaUnavailable, NewerStore, BackupRefusal, UsageError].some(kind => error instanceof kind))
    return [(error as Error).message]
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return ['This address is in use by another program. Choose another port with --port.']
  if (code === 'EACCES') return [`${message}. Check who may read and write there.`]
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || /^(timeout|Connection terminated)/.test(message))
    return [`The database cannot be reached (${message}). Check QUOIN_DATABASE_URL.`]
  // Errors of the system and of databases have a code; only errors in our own code need a stack trace.
  if (code !== undefined && (!code.startsWith('ERR_') || code === 'ERR_SQLITE_ERROR')) return [`${message}.`]
  return [stack ?? message ?? String(error)]
}

export interface Bar {
  progress: (done: number) => void
  done: () => void
}

const barWidth = 30

/** A progress bar, if stderr is a terminal. `count` is called only in that case. */
export function showBar({ stderr }: Terminal, what: string, count: () => number): Bar {
  if (!stderr.isTTY) return { progress: () => {}, done: () => {} }
  const total = Math.max(count(), 1)
  const show = (done: number) => {
    const full = Math.min(barWidth, Math.round((done / total) * barWidth))
    stderr.write(`\r\u001b[K${what} ${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${done}`)
  }
  show(0)
  return { progress: show, done: () => void stderr.write('\r\u001b[K') }
}

/** The same for work of several steps, each with its own total. */
export function showSteps(terminal: Terminal) {
  let shown: (Bar & { what: string }) | undefined
  const done = () => {
    shown?.done()
    shown = undefined
  }
  return {
    done,
    of: (what: string) => (count: number, total: number) => {
      if (shown?.what !== what) {
        done()
        shown = { what, ...showBar(terminal, what, () => total) }
      }
      shown.progress(count)
    },
  }
}

/**
 * Reads a new password: from standard input for scripts, otherwise typed twice without echo. Never from an argument,
 * which other processes could see.
 */
export async function newPassword(terminal: Terminal, fromStdin: boolean): Promise<string> {
  if (fromStdin) return readStdin(terminal)
  if (!terminal.stdin.isTTY) throw new UsageError('There is no terminal to ask for the password: use --password-stdin.')
  const password = await askHidden(terminal, 'Password: ')
  if ((await askHidden(terminal, 'Repeat the password: ')) !== password)
    throw new UsageError('The two passwords are not the same.')
  return password
}

async function readStdin({ stdin }: Terminal): Promise<string> {
  stdin.setEncoding('utf8')
  let text = ''
  for await (const chunk of stdin) text += chunk as string
  return text.replace(/\r?\n$/, '')
}

function askHidden({ stdin, stdout }: Terminal, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Readline echoes each key and erases the current line when it draws its own prompt. It draws into a stream that
    // discards everything, and the question is written past it.
    const output = new Writable({ write: (_chunk, _encoding, done) => done() })
    const lines = createInterface({ input: stdin, output, terminal: true })
    stdout.write(question)
    lines.on('SIGINT', () => lines.close())
    lines.on('close', () => {
      stdout.write('\n')
      reject(new UsageError('Stopped.')) // no effect after an answer
    })
    lines.question('', answer => {
      resolve(answer)
      lines.close()
    })
  })
}
