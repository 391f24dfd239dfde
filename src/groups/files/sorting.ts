import { canViewFile } from '../../access/authorize/files.ts'
import { z } from 'zod'
import type { RequestContext } from '../../http/context.ts'
import { intOrText } from '../../http/paging.ts'
import { sortFiles } from './files.ts'
import { selectNamed } from './queries.ts'
import type { FileParent } from './target.ts'

export const sortBody = z.strictObject({
  /** Ids or file names; unknown ones are skipped. */
  files: z.array(z.string().min(1).max(1000)).max(1000),
  index: intOrText(z.int().min(0).max(1_000_000)).default(0),
})

/** A caller who may see a file may sort it, even if it is not listed. */
export async function sortByNames(
  ctx: RequestContext,
  parent: FileParent,
  { files, index }: z.output<typeof sortBody>,
): Promise<void> {
  const names = files.map(id => nameOf(parent, id))
  const visible = (await selectNamed(ctx.app.store, parent.owner, names)).filter(file => canViewFile(ctx, file))
  const named = new Map(visible.map(file => [file.name_key, file]))
  const chosen = names.flatMap(name => named.get(name) ?? [])
  const uuids = chosen.map(({ uuid }) => uuid)
  await sortFiles(ctx, parent.owner, { uuids, index })
}

/** `a/b/gears.png` and `gears.png` are the same file of the page `a/b`. */
function nameOf({ idPrefix }: FileParent, id: string): string {
  const name = id.startsWith(idPrefix) ? id.slice(idPrefix.length) : id
  return name.toLowerCase()
}
