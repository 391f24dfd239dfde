/** The course of the drill: one fault after the other under load, each followed by a check of everything that was acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, faults } from './faults.ts'
import { findLost, type Load, type Outcome, startLoad } from './load.ts'
import type { DrillOptions } from './options.ts'
import { countOf500, countOfWaits, type FaultResult, secondsOfErrors, statusesOf, waitsOf } from './report.ts'
import { startSystem, type System } from './system.ts'

/** Load without a fault before each, and without an error after each, in ms. */
const quietMs = 3000
/** How long the system may take to recover, in seconds. */
const recoverySeconds = 90
/** Maximum time for a fault with its recovery and check, in seconds. With less time left, no fault is caused. */
const faultSeconds = 100

type Log = (line: string) => void

export async function drill(
  { only, minutes }: DrillOptions,
  say: Log,
  onEnd: (folder: string) => void,
): Promise<FaultResult[]> {
  const end = performance.now() + minutes * 60_000
  const system = await startSystem(say)
  const load = startLoad(system.send, system.site.token)
  const results: FaultResult[] = []
  const chosen = faults.filter(({ name }) => only.length === 0 || only.includes(name))
  say('load without a fault')
  await sleep(2 * quietMs)
  for (const fault of chosen) {
    const { name, description } = fault
    const skipped = fault.skip?.(system)
    const isLate = end - performance.now() < faultSeconds * 1000
    if (skipped !== undefined) results.push({ ...nothing, name, description, skipped })
    else if (isLate) results.push({ ...nothing, name, description, skipped: 'no time is left', problem: 'not run' })
    else results.push(await cause(fault, system, load, say))
  }
  say('checking everything that was acknowledged')
  await load.stop()
  const lost = await findLost(system.send, system.site.token, load.ledger)
  results.push({ ...nothing, name: 'end', description: 'the whole drill, at its end', outcomes: load.take(), lost })
  onEnd(system.folder)
  return results
}

const nothing = { outcomes: [], lost: [], served: 0 }

async function cause(fault: Fault, system: System, load: Load, say: Log): Promise<FaultResult> {
  const { name, description } = fault
  say(`${name}: ${description}`)
  const before = load.served
  const outcomes: Outcome[] = load.take()
  const known = new Set([...load.ledger.pages.keys(), ...load.ledger.files.keys()])
  let problem: string | undefined
  await sleep(quietMs)
  try {
    await fault.run(system)
    await recover(system, load, outcomes)
  } catch (error) {
    problem = (error as Error).message
  }
  outcomes.push(...load.take())
  const isNew = ([key]: [string, unknown]) => !known.has(key)
  const lost = await findLost(system.send, system.site.token, {
    pages: new Map([...load.ledger.pages].filter(isNew)),
    files: new Map([...load.ledger.files].filter(isNew)),
    revoked: [],
  })
  outcomes.push(...load.take())
  const result = {
    name,
    description,
    outcomes,
    lost,
    served: load.served - before,
    ...(problem !== undefined && { problem }),
  }
  const facts = [
    `errors for ${secondsOfErrors(outcomes).toFixed(1)} s`,
    `lost ${lost.length}`,
    `ended sessions served ${result.served}`,
    `waited > 5 s ${countOfWaits(outcomes)} (${waitsOf(outcomes)})`,
    `500 × ${countOf500(outcomes)}`,
  ]
  say(`${name}: ${facts.join(', ')}; ${statusesOf(outcomes)}${problem === undefined ? '' : `; ${problem}`}`)
  return result
}

/** Waits until every program runs again, and requests were answered without errors for a while. */
async function recover({ cluster, site }: System, load: Load, outcomes: Outcome[]): Promise<void> {
  await cluster.heal(recoverySeconds)
  for (const instance of site.instances) await instance.start()
  const end = performance.now() + recoverySeconds * 1000
  for (;;) {
    await sleep(quietMs)
    const last = load.take()
    outcomes.push(...last)
    if (last.length > 0 && !last.some(({ isError }) => isError)) return
    if (performance.now() > end) throw new Error(`requests still fail ${recoverySeconds} seconds later`)
  }
}
