import { base } from '../app/base.ts'
import { queryClient } from '../app/query.ts'
import { eventKinds, type SiteEvent } from './events.ts'
import { reportPresence } from './presence.ts'
import { liveState } from './live-state.ts'

/** Sent between the tabs of a browser, of which one has the stream. */
type Message =
  | { event: SiteEvent; position: string }
  | { state: 'off' | 'live' }
  | { question: true }
  /** Presence has changed. */
  | { presence: true }

/** Events that change what screens show. Each has to be listened to by its name. */
const names = [
  'page.created', 'page.changed', 'page.published', 'page.status', 'page.slug', 'page.moved', 'page.deleted', 'page.restored', 'page.review', 'page.comment',
  'file.created', 'file.changed', 'file.replaced', 'file.renamed', 'file.moved', 'file.deleted', 'file.restored',
  'site.changed', 'site.imported', 'language.created', 'language.changed', 'language.deleted',
  'user.created', 'user.invited', 'user.activated', 'user.changed', 'user.disabled', 'user.enabled', 'user.deleted', 'user.restored',
  'trash.deleted',
] // prettier-ignore

const eventPatterns = [eventKinds.pages, eventKinds.files, eventKinds.site, eventKinds.users].join(',')

/** How long to wait after a refused connection, in ms: the server has too many streams, or the session has ended. */
const firstWaitMs = 5000
const maxWaitMs = 5 * 60_000

/**
 * Follows what happens on the site, and reloads what it changes. All tabs of a browser share one stream: the tab that
 * holds the lock has it, and passes on what it receives. Without locks (not a secure context), every visible tab has its own.
 */
export function followEvents(userId: string): () => void {
  const stop = new AbortController()
  const name = `quoin events ${base} ${userId}`
  const channel = new BroadcastChannel(name)
  let position = ''
  let isLeader = false
  const report = reportPresence(stop.signal)

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
  const post = (message: Message) => channel.postMessage(message)
  const take = (message: Message) => {
    if ('event' in message) {
      position = message.position
      reload(message.event, userId)
    } else if ('state' in message) liveState.set(message.state)
    else if ('presence' in message) report()
    else if (isLeader) post({ state: liveState.get() })
  }
  const broadcast = (message: Message) => {
    post(message)
    take(message)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => take(data))
  stop.signal.addEventListener('abort', () => {
    channel.close()
    liveState.set('off')
  })

  const lead = async (signal: AbortSignal) => {
    isLeader = true
    await connect(broadcast, () => position, signal)
  }
  if ('locks' in navigator) {
    post({ question: true })
    navigator.locks.request(name, { signal: stop.signal }, () => lead(stop.signal)).catch(() => {}) // aborted
  } else whileVisible(lead, stop.signal)
  return () => stop.abort()
}

/** A tab in the background must not use up the connections of the browser. */
function whileVisible(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): void {
  let hidden: AbortController | undefined
  const onVisibilityChange = () => {
    if (document.hidden) hidden?.abort()
    else if (!hidden || hidden.signal.aborted) {
      hidden = new AbortController()
      void lead(AbortSignal.any([signal, hidden.signal]))
    }
  }
  document.addEventListener('visibilitychange', onVisibilityChange, { signal })
  onVisibilityChange()
}

/** Resolves when it is stopped. */
function connect(onMessage: (message: Message) => void, position: () => string, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let wait = firstWaitMs

    const open = () => {
      clearTimeout(timer)
      source?.close()
      const query = new URLSearchParams({
        event: eventPatterns,
        presence: 'true',
        ...(position() && { lastEventId: position() }),
      })
      const opened = new EventSource(`${base}/api/site/events?${query}`)
      source = opened
      opened.addEventListener('open', () => {
        wait = firstWaitMs
        onMessage({ state: 'live' })
      })
      opened.addEventListener('error', () => {
        onMessage({ state: 'off' })
        // While it is connecting, the browser tries again by itself.
        if (opened.readyState !== EventSource.CLOSED) return
        timer = setTimeout(open, wait * (0.5 + Math.random()))
        wait = Math.min(wait * 2, maxWaitMs)
      })
      opened.addEventListener('presence', () => onMessage({ presence: true }))
      for (const name of names)
        opened.addEventListener(name, ({ data, lastEventId }: MessageEvent<string>) =>
          onMessage({ event: JSON.parse(data) as SiteEvent, position: lastEventId }),
        )
    }

    addEventListener('online', open, { signal })
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      source?.close()
      resolve()
    })
    open()
  })
}

const stale = new Set<string>()
let timer: ReturnType<typeof setTimeout> | undefined
/** Many changes at once, such as an import, reload the lists once. In ms. */
const gatherMs = 1000

/** The first part of the keys of the queries that show an event, or a kind of events. */
const shownBy: Readonly<Record<string, readonly string[]>> = {
  'page.comment': ['comments'],
  page: ['pages', 'children', 'sections', 'trash', 'history'],
  file: ['files', 'sections', 'trash'],
  site: ['site'],
  language: ['languages'],
  user: ['users', 'trash'],
  trash: ['trash'],
}

/** The own changes are shown already; the activity has them, too. */
function reload({ event, user }: SiteEvent, userId: string): void {
  stale.add('activity')
  const kind = event.slice(0, event.indexOf('.'))
  if (user?.id !== userId) for (const key of shownBy[event] ?? shownBy[kind] ?? []) stale.add(key)
  timer ??= setTimeout(() => {
    timer = undefined
    const keys = new Set(stale)
    stale.clear()
    void queryClient.invalidateQueries({ predicate: ({ queryKey }) => keys.has(String(queryKey[0])) })
  }, gatherMs)
}
