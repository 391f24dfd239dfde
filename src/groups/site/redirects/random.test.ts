import { expect, test } from 'vitest'
import { createTestApp, createTestStorage, type TestApp, writeBlueprints } from '../../../../test/harness.ts'
import { addPage, createTokenClient, type Method } from '../../../../test/pages.ts'
import { isSlow, rounds } from '../../../../test/slow.ts'
import { operatorContext } from '../../../cli/site.ts'
import { createLanguage } from '../../../content/languages/languages.ts'

const words = ['a', 'b', 'c', 'd', 'e']
const steps = 14

/** A sequence that depends on the seed only. */
function createRandom(seed: number) {
  let state = seed * 2_654_435_761
  return <Value>(from: readonly Value[]): Value => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return from[(state >>> 8) % from.length]!
  }
}

interface Tree {
  /** `/path` or `/de/path` → uuid, of all pages that visitors see. */
  addresses: Map<string, string>
  /** uuid → its address by language. */
  byPage: Map<string, Record<'' | 'de', string>>
  uuids: string[]
}

/** Computes addresses from the tables, independent of how they are resolved. */
async function readTree({ app: { store } }: TestApp): Promise<Tree> {
  const pages = await store.db.selectFrom('pages').selectAll().orderBy('path').execute()
  const slugs = await store.db.selectFrom('page_slugs').selectAll().execute()
  const byUuid = new Map(pages.map(page => [page.uuid, page]))
  const tree: Tree = { addresses: new Map(), byPage: new Map(), uuids: pages.map(({ uuid }) => uuid) }
  const addressOf = (uuid: string, language: string): string => {
    const page = byUuid.get(uuid)!
    const own = slugs.find(one => one.page === uuid && one.language === language)?.slug ?? page.slug
    return `${page.parent === '' ? '' : addressOf(page.parent, language)}/${own}`
  }
  const isPublic = (uuid: string): boolean =>
    uuid === '' || (byUuid.get(uuid)!.status !== 'draft' && isPublic(byUuid.get(uuid)!.parent))
  for (const { uuid } of pages.filter(page => isPublic(page.uuid))) {
    const own = { '': addressOf(uuid, ''), de: `/de${addressOf(uuid, 'de')}` }
    tree.byPage.set(uuid, own)
    for (const address of Object.values(own)) tree.addresses.set(address, uuid)
  }
  return tree
}

test.each(Array.from({ length: rounds(1, 30) }, (_, seed) => seed + 1))(
  'every old address leads to its page in one step, or is 404 (%i)',
  async seed => {
    const random = createRandom(seed)
    const storage = await createTestStorage()
    writeBlueprints(storage.data, { 'site.yml': 'title: Site' })
    const site = await createTestApp({ storage, settings: { site: { url: 'https://www.example.org' } }, quiet: true })
    const admin = await createTokenClient(site)
    const visitor = await createTokenClient(site, { scopes: ['published'] })
    await createLanguage(operatorContext(site.app), { code: 'en', url: '' })
    await createLanguage(operatorContext(site.app), { code: 'de' })
    for (const slug of words.slice(0, 3)) {
      const uuid = await addPage(site, '', { slug, status: 'listed' })
      for (const below of words.slice(0, 2)) await addPage(site, uuid, { slug: below, status: 'listed' })
    }
    /** Address → the last page that had it, and deleted page → its successor. */
    const owners = new Map<string, string>()
    const successors = new Map<string, string>()
    const below = async (uuid: string): Promise<string[]> => {
      const rows = await site.app.store.db.selectFrom('pages').select('uuid').where('parent', '=', uuid).execute()
      return [uuid, ...(await Promise.all(rows.map(row => below(row.uuid)))).flat()]
    }

    for (let step = 0; step < steps; step++) {
      const { uuids, addresses } = await readTree(site)
      for (const [address, uuid] of addresses) owners.set(address, uuid)
      const uuid = random(uuids)
      const [page, slug] = [`pages/@${uuid}`, random(words)]
      const change = (method: Method, path: string, body: object) => admin.call(method, path, body)
      const action = random(['slug', 'slug', 'de', 'de', 'move', 'move', 'delete', 'status', 'restore'] as const)
      if (action === 'slug') await change('PATCH', `${page}/slug`, { slug })
      if (action === 'de') await change('PATCH', `${page}/slug?language=de`, { slug: random([slug, `${slug}-de`]) })
      if (action === 'move') {
        const into = random([null, ...uuids])
        await change('PATCH', `${page}/move`, { parent: into && `@${into}` })
      }
      if (action === 'status')
        await change('PATCH', `${page}/status`, { status: random(['draft', 'listed', 'unlisted']) })
      if (action === 'delete') {
        const [gone, successor] = [await below(uuid), random([undefined, ...uuids])]
        const body = { force: true, ...(successor && { successor: `@${successor}` }) }
        if ((await change('DELETE', page, body)).status === 200 && successor) {
          for (const [one, next] of successors) if (gone.includes(next)) successors.set(one, successor)
          for (const one of gone) successors.set(one, successor)
        }
      }
      if (action === 'restore') {
        const [entry] = (await admin.done('GET', 'site/trash')).data as { id: string }[]
        if (entry) await change('POST', `site/trash/${entry.id}/restore`, { parent: random([null, `@${uuid}`]), slug })
        for (const one of (await readTree(site)).uuids) successors.delete(one)
      }

      if (!isSlow && step < steps - 1) continue
      const now = await readTree(site)
      for (const [address, owner] of owners) {
        const { status, data, ...rest } = (await visitor.call('GET', `site/resolve?path=${address}`)) as never as {
          status: number
          data?: { uuid: string }
          redirect?: { path: string }
        }
        const labels = { seed, step, action, address }
        const taken = now.addresses.get(address)
        if (taken !== undefined) {
          expect({ ...labels, page: data?.uuid }).toEqual({ ...labels, page: `page://${taken}` })
          continue
        }
        const language = address.startsWith('/de/') ? 'de' : ''
        const last = now.uuids.includes(owner) ? owner : successors.get(owner)
        const expected = last === undefined ? undefined : now.byPage.get(last)?.[language]
        const to = rest.redirect?.path
        // In other languages, slugs of the ids lead to the page as well.
        if (to !== undefined && language === 'de' && to !== expected) expect(now.addresses.has(to)).toBe(true)
        else expect({ ...labels, status, to }).toEqual({ ...labels, status: expected ? 200 : 404, to: expected })
      }
    }
  },
)
