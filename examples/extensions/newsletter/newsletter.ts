import { randomUUID } from 'node:crypto'
import { defineExtension, documents, endpoint, job, json, on, refuse, z } from 'quoin'

const time = z.iso.datetime()
const subscriber = z.strictObject({ email: z.string(), state: z.enum(['asked', 'confirmed']), token: z.string(), time })
const shown = subscriber.omit({ token: true }).strip()
const subscribers = documents('subscribers', { value: subscriber, index: ['state', 'token'] })
const sent = documents('sent', { value: z.strictObject({ time }) })
const screen = { file: './panel/subscribers.ts', label: 'Newsletter', icon: 'mail', access: 'newsletter.read' } as const
const isOlder = (date: string, days: number) => Date.parse(date) < Date.now() - days * 24 * 60 * 60_000
const done = json(z.object({ status: z.literal('ok') }))
const ok = { status: 'ok' } as const
const unless = (status: number) => (error: { status?: number }) => {
  if (error.status !== status) throw error
}
/** `url` is a page of the site that sends the token in its query to `answer`. */
const schema = z.strictObject({ url: z.url(), templates: z.array(z.string()).min(1) })

export const newsletter = (settings: z.input<typeof schema>) =>
  defineExtension({ name: 'newsletter', settings: schema }, settings, ({ url: answers, templates }) => ({
    permissions: { read: 'See who has subscribed to the newsletter.' },
    errors: { noMail: [503, 'This site sends no mail.'] },
    store: [subscribers, sent],
    endpoints: {
      subscribers: {
        list: endpoint({
          method: 'GET',
          path: '/subscribers',
          summary: 'List the subscribers',
          access: 'newsletter.read',
          query: z.strictObject({ after: z.string().optional() }),
          answer: json(z.object({ data: z.array(shown), next: z.string().nullable() })),
          handler: async ({ cms, query }) => {
            const { data, next = null } = await cms.store(subscribers).list(query)
            return { data: data.map(({ value }) => shown.parse(value)), next }
          },
        }),
        create: endpoint({
          method: 'POST',
          path: '/subscribers',
          summary: 'Subscribe: sends a mail with a link to confirm it',
          access: 'public',
          perMinute: 5,
          body: z.strictObject({ email: z.email().max(150).toLowerCase() }),
          answer: done,
          handler: async ({ cms, body: { email } }) => {
            const known = await cms.store(subscribers).get(email)
            // The same answer in any case: it does not tell who has subscribed. At most one mail a day.
            if (known && (known.value.state === 'confirmed' || !isOlder(known.value.time, 1))) return ok
            const token = randomUUID()
            const value = { email, state: 'asked' as const, token, time: new Date().toISOString() }
            const stored = cms.store(subscribers).put(email, value, { version: known?.version ?? 0 })
            if (!(await stored.catch(unless(412)))) return ok
            const text = `Please confirm your subscription:\n\n${answers}?confirm=${token}`
            if (await cms.mail({ to: email, subject: 'Newsletter', text })) return ok
            await cms.store(subscribers).delete(email)
            return refuse('noMail')
          },
        }),
        answer: endpoint({
          method: 'POST',
          path: '/answers',
          summary: 'Confirm or end a subscription, with the token of a mail',
          access: 'public',
          perMinute: 20,
          body: z.strictObject({ token: z.uuid(), subscribed: z.boolean() }),
          answer: done,
          handler: async ({ cms, body: { token, subscribed } }) => {
            for await (const { key, value, version } of cms.store(subscribers).all({ token }))
              if (subscribed) await cms.store(subscribers).put(key, { ...value, state: 'confirmed' }, { version })
              else await cms.store(subscribers).delete(key)
            return ok
          },
        }),
      },
    },
    on: [
      on(
        'page.published',
        async ({ cms, event }) => {
          // Without a status, it is a change of a note that was public before.
          if (event.data['status'] === undefined) return
          const page = await cms.pages.get({ id: event.page, select: ['title', 'url', 'status'] }).catch(unless(404))
          if (!page || page.status === 'draft') return
          for await (const { key, value } of cms.store(subscribers).all({ state: 'confirmed' })) {
            // An event may be handled again after a failure: subscribers who already got this page are skipped.
            if (await cms.store(sent).get(`${event.uuid} ${key}`)) continue
            const text = `${page.title}:\n\n${page.url}\n\nUnsubscribe:\n\n${answers}?unsubscribe=${value.token}`
            if (!(await cms.mail({ to: value.email, subject: page.title, text })))
              throw new Error('mail.url is not set')
            await cms.store(sent).put(`${event.uuid} ${key}`, { time: event.time.toISOString() })
          }
        },
        { templates, timeout: 600_000 },
      ),
    ],
    jobs: [
      job('clean', {
        at: '0 3 * * *',
        timeZone: 'Europe/Berlin',
        run: async ({ cms }) => {
          for await (const { key, value, version } of cms.store(subscribers).all({ state: 'asked' }))
            if (isOlder(value.time, 7)) await cms.store(subscribers).delete(key, { version }).catch(unless(412))
          for await (const { key, value } of cms.store(sent).all())
            if (isOlder(value.time, 365)) await cms.store(sent).delete(key)
        },
      }),
    ],
    panel: { screens: { list: screen } },
  }))
