import { visibleFields, visibleContent } from '../../content/private.ts'
import { readUnpublished } from '../../content/drafts/unpublished.ts'
import type { App } from '../../app.ts'
import { type CollectionQuery, namesMustBeKnown, select, type ItemAccessors } from '../../content/collection.ts'
import type { StoredContent } from '../../content/content.ts'
import { filterValue } from '../../content/filter-value.ts'
import { merged } from '../../content/stored.ts'
import { queryWords } from '../../content/search.ts'
import type { RequestContext } from '../../http/context.ts'
import { fileBlueprintOf } from './blueprint.ts'
import { baseOf } from './names.ts'
import { type FileRow, selectContentIn } from './queries.ts'
import { type FileModel, type FileParent, filesIn } from './target.ts'
import { ownerOfFile } from './files.ts'

interface FileCandidate<Model> extends FileModel<Model> {
  id: string
  content: StoredContent
}

/** The files of one parent that match a query. */
export async function findByQuery<Model>(
  ctx: RequestContext,
  parent: FileParent<Model>,
  query: CollectionQuery,
): Promise<FileModel<Model>[]> {
  namesMustBeKnown(query, name => isKnown(ctx, name))
  const { query: searchText, options } =
    typeof query.search === 'string' ? { query: query.search } : (query.search ?? {})
  if (searchText !== undefined && queryWords(searchText, options).length === 0) return []
  const { app } = ctx
  const files = await filesIn(ctx, parent)
  const language = await ctx.language()
  const contents = await selectContentIn(app.store, parent.owner, language)
  const owners = files.map(({ file }) => ownerOfFile(file.uuid))
  const changed = language.changesOf && (await readUnpublished(app.store, language, owners))
  const candidates = files.map(({ file }): FileCandidate<Model> => {
    const published = contents.get(file.uuid) ?? { own: null, base: null }
    const stored = changed ? changed(ownerOfFile(file.uuid), published) : published
    const { fields } = fileBlueprintOf(app, file)
    const content = visibleContent(ctx, fields, merged(stored, fields))
    return { file, parent, id: parent.idPrefix + file.filename, content }
  })
  return select<FileCandidate<Model>>([candidates], accessorsIn(app), query)
}

/** Properties that files can be filtered and sorted by. */
const columnValues: Readonly<Record<string, (file: FileRow) => string | number | null>> = {
  extension: file => file.extension,
  filename: file => file.filename,
  height: file => file.height,
  mime: file => file.mime,
  modified: file => file.modified_at,
  name: file => baseOf(file),
  size: file => file.size,
  sort: file => file.sort,
  template: file => file.template,
  type: file => file.type,
  uuid: file => ownerOfFile(file.uuid),
  width: file => file.width,
}

const accessorsIn = (app: App): ItemAccessors<FileCandidate<unknown>> => ({
  id: ({ id }) => id,
  field({ id, file, content }, name) {
    if (name === 'id') return id
    if (Object.hasOwn(columnValues, name)) return columnValues[name]!(file)
    return filterValue(fileBlueprintOf(app, file).fields, content, name)
  },
  texts: ({ id, content }) => ({ ...content, id }),
  weightedFields: ['id'],
})

function isKnown(ctx: RequestContext, name: string): boolean {
  const { blueprints } = ctx.app
  if (name === 'id' || Object.hasOwn(columnValues, name)) return true
  const small = name.toLowerCase()
  return blueprints.templates('files').some(template => visibleFields(ctx, blueprints.file(template).fields).has(small))
}
