import { type Cms, defineExtension, job, on, z } from 'quoin'

const schema = z.strictObject({
  /** The collection of the search service: `https://search.example.org/indexes/pages`. */
  url: z.url(),
  key: z.string().min(1),
  /** The fields of pages whose text is searched. */
  fields: z.array(z.string()).default(['text']),
})

const select = { uuid: '', title: '', url: '', status: '', content: '', parents: ['uuid', 'status'] } as const
type Page = Awaited<ReturnType<typeof read>>
const read = (cms: Cms, id: string) => cms.pages.get({ id, select })

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

/** After these, the pages below have other addresses, or another visibility. */
const concernsPagesBelow = new Set(['page.status', 'page.slug', 'page.moved', 'page.restored'])

export const searchPush = (settings: z.input<typeof schema>) =>
  defineExtension({ name: 'search-push', settings: schema }, settings, ({ url, key, fields }) => {
    /** Throws if the service does not accept it: then the handler runs again later. */
    async function send(path: string, body: unknown, signal: AbortSignal): Promise<void> {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal })
      if (!answer.ok) throw new Error(`The search service has answered ${answer.status}`)
    }

    const push = (pages: readonly Page[], signal: AbortSignal) =>
      send(
        '/documents',
        pages.map(({ uuid, title, url: address, content, parents }) => ({
          id: uuid.replace('page://', ''),
          // To delete it with the page that it is below.
          within: [uuid, ...parents.map(parent => parent.uuid)],
          title,
          url: address,
          text: fields.map(name => textOf(content[name])).join('\n'),
        })),
        signal,
      )
    const remove = (uuid: string, signal: AbortSignal) =>
      send('/documents/delete', { filter: `within = "${uuid}"` }, signal)

    async function pushBelow(cms: Cms, id: string | undefined, signal: AbortSignal, start = 0): Promise<void> {
      const query = { select, limit: 100, next: start }
      const list = id === undefined ? cms.site.children.list(query) : cms.pages.children.list({ id, ...query })
      const { data, pagination } = await list
      if (data.length > 0) await push(data, signal)
      for (const { uuid } of data) await pushBelow(cms, uuid, signal)
      const end = pagination.next ?? pagination.offset + data.length
      if (end < pagination.total) await pushBelow(cms, id, signal, end)
    }

    return {
      on: [
        on('page.*', async ({ cms, event, signal }) => {
          // As it is now: later events of the page find it in the same way.
          const page = await read(cms, event.page).catch((error: { status?: number }) => {
            if (error.status !== 404) throw error
          })
          if (!page || [page, ...page.parents].some(({ status }) => status === 'draft'))
            return remove(event.uuid, signal)
          await push([page], signal)
          if (concernsPagesBelow.has(event.type)) await pushBelow(cms, page.uuid, signal)
        }),
      ],
      jobs: [job('backfill', { run: ({ cms, signal }) => pushBelow(cms, undefined, signal) })],
    }
  })
