import type { Store, Tx } from '../../platform/store/store.ts'
import * as queries from './queries.ts'

/** Redirects per transaction: an import runs beside a server, whose writers must not wait long. */
const batchSize = 200

/** Deletes all automatic redirects from addresses that published pages have, after an import. */
export async function takeAllAddresses(store: Store): Promise<void> {
  let ids = await queries.selectAutomatic(store, 0, batchSize)
  while (ids.length > 0) {
    const batch = ids
    await store.write(tx => takeAddressesOf(tx, batch))
    ids = await queries.selectAutomatic(store, batch.at(-1)!, batchSize)
  }
}

async function takeAddressesOf(tx: Tx, ids: readonly number[]): Promise<void> {
  const taken = new Set<number>()
  const top = { uuid: '', path: '', status: 'draft' } as const
  let steps: Step[] = (await queries.lockAutomatic(tx, ids)).map(({ id, language, path }) => ({
    id,
    language,
    page: top,
    rest: path.split('/'),
  }))
  while (steps.length > 0) {
    const next = await nextSteps(tx, steps)
    for (const { id, page, rest } of next) if (rest.length === 0 && page.status !== 'draft') taken.add(id)
    steps = next.filter(({ rest }) => rest.length > 0)
  }
  if (taken.size > 0) await queries.deleteRedirects(tx, [...taken])
}

/** How far the address of a redirect has been followed down the tree. */
interface Step {
  id: number
  language: string
  page: queries.PageOnPath
  /** The slugs that are left. */
  rest: string[]
}

/** The children that have the next slug in the language of the address. */
async function nextSteps(tx: Tx, steps: readonly Step[]): Promise<Step[]> {
  const paths = steps.map(pathOfChild)
  const named = new Map((await queries.selectPagesAt(tx, paths)).map(page => [page.path, page]))
  const renamed = new Set((await queries.selectSlugsAt(tx, paths)).map(({ language, path }) => `${language} ${path}`))
  const translated = Map.groupBy(
    await queries.selectTranslated(tx, {
      languages: [...new Set(steps.map(({ language }) => language))],
      slugs: steps.map(({ rest }) => rest[0]!),
      parents: steps.map(({ page }) => page.uuid),
    }),
    ({ language, parent, slug }) => `${language} ${parent} ${slug}`,
  )
  return steps.flatMap(step => {
    const { language, page, rest } = step
    const path = pathOfChild(step)
    const child = renamed.has(`${language} ${path}`) ? undefined : named.get(path)
    const children = [...(child ? [child] : []), ...(translated.get(`${language} ${page.uuid} ${rest[0]}`) ?? [])]
    return children.map(found => ({ ...step, page: found, rest: rest.slice(1) }))
  })
}

const pathOfChild = ({ page, rest }: Step) => (page.path === '' ? rest[0]! : `${page.path}/${rest[0]}`)
