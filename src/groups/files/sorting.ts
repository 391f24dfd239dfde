import { z } from 'zod'
import type { App } from '../../app.ts'
import type { By } from '../../access/audit/audit.ts'
import { fail } from '../../platform/errors.ts'
import type { RequestContext } from '../../http/context.ts'
import { intOrText } from '../../http/paging.ts'
import { saidTo } from '../../blueprints/permissions/permissions.ts'
import type { Caller } from '../../access/session/identify.ts'
import { can } from '../../access/session/rights.ts'
import { blueprintOf } from './blueprint.ts'
import { sortFiles } from './files.ts'
import { type FileRow, selectNamed } from './queries.ts'
import { type FileParent, isVisible } from './target.ts'

export const sortBody = z.strictObject({
  /** Ids or file names; unknown ones are skipped. */
  files: z.array(z.string().min(1).max(1000)).max(1000),
  index: intOrText(z.int().min(0).max(1_000_000)).default(0),
})

/** A caller who may see a file may sort it, even if it is not listed. */
export async function sortByNames(
  { app, caller }: RequestContext,
  parent: FileParent,
  { files, index }: z.output<typeof sortBody>,
  by: By,
): Promise<void> {
  const names = files.map(given => nameOf(parent, given))
  const visible = (await selectNamed(app.store, parent.owner, names)).filter(file => isVisible(app, caller, file))
  const named = new Map(visible.map(file => [file.name_key, file]))
  const chosen = names.flatMap(name => named.get(name) ?? [])
  for (const file of chosen) if (!maySort(app, caller, file)) throw fail('file.update.permission')
  const uuids = chosen.map(({ uuid }) => uuid)
  await sortFiles(app, parent.owner, { uuids, index, by })
}

export function maySort(app: App, caller: Caller, file: FileRow): boolean {
  const { options } = blueprintOf(app, file)
  return can(app, caller, 'files.update', options['update']) && saidTo(caller.user.role, options['sort']) !== false
}

/** `a/b/gears.png` and `gears.png` are the same file of the page `a/b`. */
function nameOf({ idPrefix }: FileParent, given: string): string {
  const name = given.startsWith(idPrefix) ? given.slice(idPrefix.length) : given
  return name.toLowerCase()
}
