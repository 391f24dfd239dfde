import { unblockAll, unblockEmail } from '../access/factors/unblock.ts'
import { type Cost, hashArgon2 } from '../platform/lib/argon2.ts'
import { parseEmail } from '../platform/lib/email.ts'
import { endAllEpochs } from '../access/session/sessions.ts'
import { operatorContext, withSite } from './site.ts'
import { print, type Terminal, UsageError } from './terminal.ts'

const candidates: Cost[] = [
  { memory: 19_456, passes: 2, parallelism: 1 },
  { memory: 32_768, passes: 3, parallelism: 1 },
  { memory: 65_536, passes: 3, parallelism: 1 },
  { memory: 131_072, passes: 3, parallelism: 1 },
]
const rounds = 5
/** The longest that a hash may take, so that a sign-in stays fast. */
const maxMs = 350

/** Measures this machine and suggests the strongest password hashing that takes at most `maxMs`, or the cheapest one. */
export async function calibrate({ json = false }: { json?: boolean }, terminal: Terminal): Promise<void> {
  const measured: (Cost & { milliseconds: number })[] = []
  for (const cost of candidates) {
    if (!json) terminal.stderr.write(`measuring ${cost.memory} KiB, ${cost.passes} passes …\n`)
    measured.push({ ...cost, milliseconds: await median(cost) })
    if (measured.at(-1)!.milliseconds > maxMs) break
  }
  const best = measured.findLast(({ milliseconds }) => milliseconds <= maxMs) ?? measured[0]!
  const lines = measured.map(
    ({ memory, passes, milliseconds }) => `${memory} KiB, ${passes} passes: ${milliseconds} ms`,
  )
  const advice = `Suggested: auth: { argon2: { memory: ${best.memory}, passes: ${best.passes} } }`
  print(
    terminal,
    json,
    { status: 'ok', measured, suggested: { memory: best.memory, passes: best.passes } },
    [...lines, '', advice].join('\n'),
  )
}

async function median(cost: Cost): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    await hashArgon2('a password to measure with', cost)
    times.push(performance.now() - start)
  }
  return Math.round(times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!)
}

export async function revokeAll(
  { site, json = false }: { site: string; json?: boolean },
  terminal: Terminal,
): Promise<void> {
  await withSite(site, terminal, async app => {
    const { sessions, tokens } = await endAllEpochs(operatorContext(app))
    const text = `Ended ${sessions} sessions and ${tokens} API tokens. All users must sign in again.`
    print(terminal, json, { status: 'ok', sessions, tokens }, text)
  })
}

export interface UnblockOptions {
  site: string
  json?: boolean
  email?: string
  all?: boolean
}

/** Lifts the throttle after failed sign-ins. */
export async function unblock(
  { site, json = false, email: text, all = false }: UnblockOptions,
  terminal: Terminal,
): Promise<void> {
  if ((text !== undefined) === all) throw new UsageError('Specify either --email <address> or --all.')
  const email = text === undefined ? undefined : parseEmail(text)
  if (!all && !email) throw new UsageError(`"${text}" is not an e-mail address.`)
  await withSite(site, terminal, async app => {
    await (email ? unblockEmail(app, email) : unblockAll(app))
    const who = email ? email.address : 'Everyone'
    print(
      terminal,
      json,
      { status: 'ok', ...(email && { email: email.address }) },
      `${who} can sign in again without waiting.`,
    )
  })
}
