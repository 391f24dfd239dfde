/** The load of the drill: reads, writes, uploads and sign-outs. The ledger records which of them were acknowledged. */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DrillRequest, DrillResponse, Send } from './http.ts'
import { account } from './quoin.ts'

/** What was acknowledged, and must be found at the end. */
export interface Ledger {
  /** By path of the page: the text that was acknowledged, and the one whose answer is unknown. */
  pages: Map<string, { acknowledged: string; attempted?: string }>
  /** The bytes of uploaded files, by URL. */
  files: Map<string, string>
  /** Cookies of sessions whose sign-out was acknowledged. */
  revoked: string[]
}

export interface Load {
  ledger: Ledger
  /** All answers since the last call. */
  take(): Outcome[]
  /** How many requests with an ended session were not refused. */
  readonly served: number
  stop(): Promise<void>
}

export interface Outcome extends Pick<DrillResponse, 'sentAt' | 'durationMs' | 'status' | 'key'> {
  kind: string
  isError: boolean
}

/** How many clients of each kind there are, and how long each pauses between two requests, in ms. */
const workers = {
  read: { count: 4, pauseMs: 50 },
  write: { count: 3, pauseMs: 80 },
  upload: { count: 1, pauseMs: 300 },
  signOut: { count: 1, pauseMs: 400 },
  probe: { count: 2, pauseMs: 60 },
}

const headers = { 'content-type': 'application/json' }
const json = (value: object) => JSON.stringify(value)

export function startLoad(send: Send, token: string): Load {
  const ledger: Ledger = { pages: new Map(), files: new Map(), revoked: [] }
  const authorization = { authorization: `Bearer ${token}` }
  let outcomes: Outcome[] = []
  let served = 0
  const state = { isOver: false }

  /** Sends a request. Another status than the expected ones counts as an error. */
  async function call(
    kind: string,
    request: DrillRequest,
    expected: readonly number[] = [200],
  ): Promise<DrillResponse> {
    const answer = await send(request)
    const { sentAt, durationMs, status, key } = answer
    outcomes.push({ kind, sentAt, durationMs, status, key, isError: !expected.includes(status as number) })
    return answer
  }

  async function read(): Promise<void> {
    const pages = [...ledger.pages.keys()].slice(-50)
    const page = pages[randomInt(Math.max(1, pages.length))]
    const paths = ['/api/site/children?limit=5', '/api/site?select=title', ...(page ? [`/api/pages/${page}`] : [])]
    const path = paths[randomInt(paths.length)]!
    await call('read', { path, headers: authorization, onNewConnection: randomInt(4) === 0 })
  }

  async function write(): Promise<void> {
    const slug = `n-${randomBytes(6).toString('hex')}`
    const content = { title: slug, text: '0' }
    const options = { headers: { ...authorization, ...headers } }
    const body = json({ slug, template: 'note', content, draft: false })
    const created = await call('write', { ...options, method: 'POST', path: '/api/site/children', body })
    if (created.status !== 200) return
    const page: { acknowledged: string; attempted?: string } = { acknowledged: '0' }
    ledger.pages.set(slug, page)
    for (let step = 1; step <= 3 && !state.isOver; step++) {
      await sleep(workers.write.pauseMs)
      page.attempted = String(step)
      const change = json({ text: page.attempted })
      const changed = await call('write', { ...options, method: 'PATCH', path: `/api/pages/${slug}`, body: change })
      // It is unknown whether the change was stored, and it may still arrive: so there is no later change.
      if (changed.status !== 200) return
      page.acknowledged = page.attempted
    }
  }

  async function upload(): Promise<void> {
    const text = randomBytes(20_000).toString('hex')
    const form = new FormData()
    form.set('file', new File([text], `f${randomBytes(6).toString('hex')}.csv`, { type: 'text/csv' }))
    const encoded = new Response(form)
    const body = Buffer.from(await encoded.arrayBuffer())
    const type = { 'content-type': encoded.headers.get('content-type')! }
    const request = { method: 'POST', path: '/api/site/files', headers: { ...authorization, ...type }, body }
    const uploaded = await call('upload', request)
    if (uploaded.status === 200) {
      const { data } = JSON.parse(String(uploaded.body)) as { data: { url: string } }
      ledger.files.set(new URL(data.url).pathname, text)
    }
    const known = [...ledger.files.keys()]
    if (known.length > 0) await call('download', { path: known[randomInt(known.length)]! })
  }

  async function signOut(): Promise<void> {
    const login = { method: 'POST', path: '/api/auth/login', headers, body: json(account) }
    const { status, cookie } = await call('sign in', login)
    if (status !== 200) return
    const own = { cookie, 'sec-fetch-site': 'same-origin' }
    await call('session', { path: '/api/auth', headers: own })
    const ended = await call('sign out', { method: 'POST', path: '/api/auth/logout', headers: own })
    if (ended.status !== 200) return
    ledger.revoked.push(cookie)
    for (let count = 0; count < 4; count++) await probe(cookie)
  }

  /** Sends a request with an ended session, which every worker must refuse. */
  async function probe(cookie = ledger.revoked[randomInt(Math.max(1, ledger.revoked.length))]): Promise<void> {
    if (cookie === undefined) return
    const answer = await call('ended session', { path: '/api/auth', headers: { cookie }, onNewConnection: true }, [401])
    if (answer.status === 200) served++
  }

  const works = { read, write, upload, signOut, probe: () => probe() }
  const running = Object.entries(workers).flatMap(([name, { count, pauseMs }]) =>
    Array.from({ length: count }, async () => {
      while (!state.isOver) {
        await works[name as keyof typeof works]()
        await sleep(pauseMs)
      }
    }),
  )
  return {
    ledger,
    take() {
      const taken = outcomes
      outcomes = []
      return taken
    },
    get served() {
      return served
    },
    async stop() {
      state.isOver = true
      await Promise.all(running)
    },
  }
}

/** Acknowledged writes that are not found. A page may also have the text of a change whose answer is unknown. */
export async function findLost(send: Send, token: string, { pages, files }: Ledger): Promise<string[]> {
  const lost: string[] = []
  const authorization = { authorization: `Bearer ${token}` }
  for (const [slug, { acknowledged, attempted }] of pages) {
    const { status, body } = await sendWithRetries(send, {
      path: `/api/pages/${slug}?select=content`,
      headers: authorization,
    })
    const text =
      status === 200 ? (JSON.parse(String(body)) as { data: { content: { text: string } } }).data.content.text : status
    if (text !== acknowledged && text !== attempted) lost.push(`page ${slug}: ${acknowledged}, found ${text}`)
  }
  for (const [path, text] of files) {
    const { status, body } = await sendWithRetries(send, { path })
    if (status !== 200 || String(body) !== text) lost.push(`file ${path}: ${status}`)
  }
  return lost
}

/** Sends the request again while the system is not available: only an answer tells whether something is lost. */
async function sendWithRetries(send: Send, request: DrillRequest): Promise<DrillResponse> {
  for (let tries = 1; ; tries++) {
    const answer = await send(request)
    if ((typeof answer.status === 'number' && answer.status < 500) || tries === 20) return answer
    await sleep(500)
  }
}
