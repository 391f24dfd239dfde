import { client } from '../app/client.ts'
import { openPage } from '../app/title.ts'
import { createStore } from '../app/store.ts'

const read = (tab: string, page: string | null) =>
  client.site.presence({ tab, page, says: handOverMessage.get() }, { limit: 100, select: ['page', 'says', 'user'] })

/** Another account that has the panel open. */
export type PresentUser = Awaited<ReturnType<typeof read>>['data'][number]

/** Who else is here. */
export const presentUsers = createStore<readonly PresentUser[]>([])

/** The message of this tab to others on the page: asks to take over the draft, hands it over, or keeps it. */
export const handOverMessage = createStore<'ask' | 'give' | 'keep' | null>(null)

const everyMs = 60_000
/** Pages that are only passed on the way to another one are not reported. */
const settleMs = 300
/** Every tab is notified at the same moment. A random delay up to this spreads their requests. In ms. */
const spreadMs = 1000
/** Without input for this long, in ms, the user counts as away: reports must not keep the session alive. */
const awayAfterMs = 5 * 60_000
const inputEvents = ['pointerdown', 'pointermove', 'keydown', 'scroll', 'focus'] as const

/** Reports where this tab is, and keeps `presentUsers` up to date, until the signal is aborted. Returns a function that reports again after a short random delay. */
export function reportPresence(signal: AbortSignal): () => void {
  const tab = Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(36))
    .join('')
    .padEnd(12, '0')
  let lastInput = Date.now()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isReported = false

  const isAway = () => document.hidden || Date.now() - lastInput > awayAfterMs
  const report = async () => {
    if (signal.aborted || isAway()) return
    isReported = true
    // Neither a lost connection nor a page that was deleted concerns the user here.
    const answer = await read(tab, openPage.get()).catch(() => undefined)
    if (!signal.aborted) presentUsers.set(answer?.data ?? [])
  }
  const reportAfter = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void report(), ms)
  }
  const reportSoon = () => reportAfter(settleMs)
  const leave = () => {
    if (isReported) void client.site.presence({ tab, page: null, closed: true }).catch(() => {})
    isReported = false
  }

  const interval = setInterval(() => void report(), everyMs)
  const unsubscribers = [
    openPage.subscribe(() => {
      handOverMessage.set(null)
      reportSoon()
    }),
    handOverMessage.subscribe(() => reportAfter(0)),
  ]
  for (const name of inputEvents)
    addEventListener(
      name,
      () => {
        const wasAway = isAway()
        lastInput = Date.now()
        if (wasAway) reportSoon()
      },
      { signal, passive: true, capture: true },
    )
  document.addEventListener('visibilitychange', () => document.hidden || reportSoon(), { signal })
  addEventListener('pagehide', leave, { signal })
  signal.addEventListener('abort', () => {
    clearInterval(interval)
    clearTimeout(timer)
    for (const unsubscribe of unsubscribers) unsubscribe()
    leave()
    presentUsers.set([])
  })
  void report()
  return () => reportAfter(settleMs + Math.random() * spreadMs)
}
