import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../../test/pages.ts'
import { isSlow } from '../../../../test/slow.ts'

const storage = await createTestStorage()
writeBlueprints(storage.data, { 'pages/default.yml': 'fields: { text: { type: text } }' })
const site = await createTestApp({ storage, settings: { api: { public: true }, auth: { throttle: false } } })
const admin = await createTokenClient(site)
const host = new URL(site.app.config.url).host

let count = 0
interface Sample {
  uuid: string
  path: string
}
async function newPage(page: { status?: 'listed'; parent?: string } = {}): Promise<Sample> {
  const { parent = '', status } = page
  const slug = `page-${++count}`
  const uuid = await addPage(site, parent, { slug, title: slug, ...(status && { status }) })
  return { uuid: `page://${uuid}`, path: `@${uuid}` }
}
const edit = (page: Sample, text: string) => admin.done('POST', `pages/${page.path}/changes/save`, { text })

async function newRelease(add: object[]): Promise<string> {
  return (await admin.done('POST', 'site/releases', { name: `Release ${++count}`, add })).data.id as string
}
const publish = (id: string) => admin.call('POST', `site/releases/${id}/publish`)

/** The texts that a visitor sees of the children of a page. */
async function textsBelow({ path }: Sample): Promise<string[]> {
  const url = `/api/pages/${path}/children?select=content&limit=1000`
  const answer = await site.request({ method: 'GET', url, headers: { host } })
  return answer.json<{ data: { content: { text?: string } }[] }>().data.map(({ content }) => content.text ?? '')
}

test('a reader who polls sees all pages of a release or none', async () => {
  const size = isSlow ? 200 : 25
  const parent = await newPage({ status: 'listed' })
  const add: object[] = []
  for (let index = 0; index < size; index++) {
    const page = await newPage({ status: 'listed', parent: parent.uuid.slice(7) })
    await edit(page, 'New')
    add.push({ uuid: page.uuid })
  }
  const id = await newRelease(add)
  const seen = new Set<string>()
  let reads = 0
  const publishing = { isDone: false }
  const polling = (async () => {
    while (!publishing.isDone) {
      const texts = await textsBelow(parent)
      seen.add(`${texts.length} ${[...new Set(texts)].join(' and ')}`)
      reads++
      await new Promise(resolve => {
        setImmediate(resolve)
      })
    }
  })()
  const { status } = await publish(id)
  publishing.isDone = true
  await polling
  expect(status).toBe(200)
  expect(reads).toBeGreaterThan(1)
  expect([...seen].filter(text => text !== `${size} ` && text !== `${size} New`)).toEqual([])
  expect(new Set(await textsBelow(parent))).toEqual(new Set(['New']))
}, 240_000)

test('two releases with pages under the same parents do not deadlock, and each page is published once', async () => {
  const parents = [await newPage({ status: 'listed' }), await newPage({ status: 'listed' })]
  const make = async (order: readonly Sample[]) => {
    const add: object[] = []
    for (const { uuid } of order) {
      const parent = uuid.slice(7)
      const [fresh, gone] = [await newPage({ parent }), await newPage({ parent, status: 'listed' })]
      await edit(fresh, 'Fresh')
      add.push({ uuid: fresh.uuid, status: 'listed' }, { uuid: gone.uuid, action: 'delete' })
    }
    return newRelease(add)
  }
  const ids = [await make(parents), await make(parents.toReversed())]
  const answers = await Promise.all([...ids, ...ids].map(publish))
  const outcomes = answers.map(({ status, key }) => `${status} ${key ?? 'done'}`).toSorted()
  expect(outcomes).toEqual(['200 done', '200 done', '409 error.release.published', '409 error.release.published'])
  for (const { path } of parents) {
    const { data } = await admin.done('GET', `pages/${path}/children?select=num`)
    expect((data as { num: number }[]).map(({ num }) => num)).toEqual([1, 2])
  }
})

test.each(['edited', 'moved', 'deleted'])(
  'a page that is %s while its release is published: all or nothing',
  async how => {
    const parent = await newPage({ status: 'listed' })
    const below = { parent: parent.uuid.slice(7), status: 'listed' } as const
    const [page, other] = [await newPage(below), await newPage(below)]
    await edit(page, 'New')
    await edit(other, 'New')
    const id = await newRelease([{ uuid: page.uuid }, { uuid: other.uuid }])
    const change = {
      edited: () => admin.call('POST', `pages/${page.path}/changes/save`, { text: 'Newer' }),
      moved: () => admin.call('PATCH', `pages/${page.path}/move`, { parent: other.uuid }),
      deleted: () => admin.call('DELETE', `pages/${page.path}`),
    }[how]!
    const [answer] = await Promise.all([publish(id), change()])
    const { data } = await admin.done('GET', `pages/${other.path}?select=content`)
    expect([answer.status, data.content.text ?? '']).toEqual([answer.status, answer.status === 200 ? 'New' : ''])
  },
)
