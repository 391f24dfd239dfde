/**
 * Server and receiver die while content is written: every event arrives at least once. `QUOIN_TEST_CHANGES` is the
 * number of changes.
 */
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { addUser, beforeCleanUp, createTestApp, writeBlueprints } from './harness.ts'
import { createSite, type Server, serve } from './program.ts'
import { type ReceivedHook, verify } from './receiver.ts'
import { isSlow } from './slow.ts'
import { addToken } from './tokens.ts'

const changes = Number(process.env['QUOIN_TEST_CHANGES'] ?? 60)
const kills = Math.max(2, Math.min(20, Math.round(changes / 50)))

test.runIf(isSlow)(
  'every committed change arrives at least once although server and receiver are killed',
  { timeout: 600_000 },
  async () => {
    const site = await createSite({ QUOIN_LOG_LEVEL: 'error', QUOIN_WEBHOOKS_ALLOW: '127.0.0.1' })
    writeBlueprints(site.folder, { 'pages/note.yml': 'fields: { text: { type: text } }' })
    const inside = await createTestApp({ storage: site.storage, expensive: true })
    const { id: owner } = await addUser(inside)
    const { token } = await addToken(inside.app, { name: 'test', scopes: ['*'], userId: owner })
    const receiver = await spawnReceiver(join(site.storage.data, 'hooks.jsonl'))
    let server: Server = await serve(site)
    const call = async (method: string, path: string, body: object) => {
      const answer = await fetch(`http://127.0.0.1:${server.port}/api/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: answer.status, json: (await answer.json()) as { secret?: string } }
    }
    const { json } = await call('POST', 'system/webhooks', { url: receiver.url, events: ['page.*'] })
    const secret = json.secret!
    await call('POST', 'site/children', { slug: 'taken', title: 'Taken', template: 'note' })

    /** Leases of killed processes end at once, as if their leases were over, and so do the delays of retries. */
    const passTime = async () => {
      const { db } = inside.app.store
      await db.updateTable('jobs').set({ due_at: 0 }).where('finished_at', 'is', null).execute()
      await db.updateTable('job_lanes').set({ busy_until: 0 }).execute()
    }

    let refused = 0
    let done = 0
    const every = Math.ceil(changes / kills)
    for (let number = 0; number < changes; number++) {
      try {
        const { status } = await call('POST', 'site/children', { slug: `n${number}`, title: 'N', template: 'note' })
        expect([200, 400]).toContain(status) // 400: the attempt before the kill was committed
        if (number % 5 === 0) {
          // Rolled back: the slug is taken.
          expect((await call('PATCH', `pages/n${number}/slug`, { slug: 'taken' })).status).toBe(400)
          refused++
        }
        done++
      } catch {
        number-- // died: try again on the next server
        await server.stop('SIGKILL').catch(() => {})
        await passTime()
        server = await serve(site)
        continue
      }
      if (done % every === 0) {
        const isReceiver = (done / every) % 2 === 0
        if (isReceiver) {
          await receiver.kill()
          await sleep(randomInt(50))
          await receiver.start()
        } else {
          await sleep(randomInt(50))
          server.child.kill('SIGKILL')
        }
      }
    }
    await vi.waitFor(
      async () => {
        await passTime()
        const waiting = await inside.app.store.db
          .selectFrom('jobs')
          .select('id')
          .where('finished_at', 'is', null)
          .execute()
        expect(waiting).toEqual([])
      },
      { timeout: 500_000, interval: 300 },
    )
    await server.stop('SIGTERM')

    const hooks = receiver.hooks()
    for (const hook of hooks) verify(hook, secret)
    const events = await inside.app.store.db.selectFrom('audit_events').select(['id', 'event']).execute()
    const recorded = new Set(events.filter(({ event }) => event.startsWith('page.')).map(({ id }) => id))
    const arrived = new Map<string, number>()
    for (const {
      id,
      json: { data },
    } of hooks)
      arrived.set(id, (data as { id: number }).id)
    expect(recorded.size).toBe(changes + 1)
    expect(new Set(arrived.values()), 'every event, and none of a rolled back change').toEqual(recorded)
    expect(arrived.size, 'one id per event').toBe(recorded.size)
    expect(hooks.every(({ json: { type } }) => type === 'page.created')).toBe(true)
    expect(refused).toBeGreaterThan(0)
  },
)

/** Writes what it receives to a file before it responds. */
const receiverProgram = `
  const { appendFileSync } = require('node:fs')
  const [file, port] = process.argv.slice(1)
  const server = require('node:http').createServer((request, response) => {
    const chunks = []
    request.on('data', chunk => chunks.push(chunk)).on('end', () => {
      const body = Buffer.concat(chunks).toString()
      appendFileSync(file, JSON.stringify({ headers: request.headers, body }) + '\\n')
      response.end('ok')
    })
  })
  server.listen(Number(port), '127.0.0.1', () => console.log(server.address().port))
`

/** A receiver in its own process, which can be killed and started again on the same port. */
async function spawnReceiver(file: string) {
  let port = 0
  let child: ReturnType<typeof spawn>
  const receiver = {
    url: '',
    async start() {
      child = spawn(process.execPath, ['-e', receiverProgram, file, String(port)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [output] = (await once(child.stdout!, 'data')) as [Buffer]
      port = Number(output)
      receiver.url = `http://127.0.0.1:${port}/hook`
    },
    async kill() {
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
    /** The last line is not complete if the process was killed while it wrote. */
    hooks(): ReceivedHook[] {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
      return lines.slice(0, -1).map(line => {
        const { headers, body } = JSON.parse(line) as Pick<ReceivedHook, 'headers' | 'body'>
        return { id: String(headers['webhook-id']), headers, body, json: JSON.parse(body) }
      })
    },
  }
  await receiver.start()
  beforeCleanUp(async () => void child.kill('SIGKILL'))
  return receiver
}
