import type { App } from '../app.ts'
import { record } from '../audit/audit.ts'
import { mustBeCurrent } from '../content/revision.ts'
import { fail } from '../errors.ts'
import { contentLanguages } from '../languages/languages.ts'
import { isInRow, leavePlace, rowOf, takePlace } from './numbers.ts'
import { ownerOf } from './pages.ts'
import { mustBePlaceable, mustBePossible, pathFor, slugFrom, slugIsTaken } from './rules.ts'
import { orTaken } from './slug.ts'
import { translatedSlugIsTaken } from './slugs/slugs.ts'
import { holdPlace } from './tree/hold.ts'
import { changePath } from './tree/paths.ts'
import { changeRow, selectSlugsOf, selectStatusAt } from './tree/queries.ts'
import type { Change } from './update.ts'

/** To below another page, by uuid, or to the top (`''`), with all that is below it; perhaps under another slug. */
export async function movePage(
  app: App,
  { uuid }: { uuid: string },
  { parent, slug: given }: { parent: string; slug?: string | undefined },
  { by, expected }: Change,
): Promise<number> {
  const languages = await contentLanguages(app)
  const [language] = languages
  const isTranslated = languages.some(({ hasSlugs }) => hasSlugs === true)
  const wish = given === undefined ? undefined : slugFrom(given, language!)
  return orTaken(wish ?? '', () =>
    app.store.write(async tx => {
      const { page, into } = await holdPlace(app, tx, uuid, language, { alone: true, numbering: true, into: parent })
      const slug = wish ?? page.slug
      mustBeCurrent(page.revision, expected)
      mustBePossible(app, page, 'move')
      if (parent === uuid || into?.path.startsWith(`${page.path}/`)) throw fail('page.move.self')
      if (parent === page.parent && slug === page.slug) return page.revision
      if (parent !== page.parent) mustBePlaceable(app, page, into)
      const path = pathFor(into, slug)
      const status = await selectStatusAt(tx, path)
      if (status !== undefined) throw slugIsTaken(status, slug)
      if (isTranslated) {
        const own = await selectSlugsOf(tx, [uuid])
        const wishes = [{ slug }, ...own.map(row => ({ slug: row.slug, language: { key: row.language } }))]
        for (const one of wishes)
          if (await translatedSlugIsTaken(tx, { ...one, parent, except: uuid })) throw slugIsTaken(undefined, one.slug)
      }
      let { num } = page
      if (parent !== page.parent && isInRow(app, page)) {
        await leavePlace(tx, rowOf(app, page.parent), uuid)
        num = await takePlace(tx, rowOf(app, parent), undefined)
      }
      const revision = await changeRow(tx, uuid, { parent, num })
      await changePath(app, tx, page, { path, slug })
      await record(tx, { event: 'page.moved', subject: ownerOf(uuid), ...by })
      return revision
    }),
  )
}
