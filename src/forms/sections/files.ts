import { isFileActionAllowed, canListFile } from '../../access/authorize/files.ts'
import type { Section } from '../../blueprints/blueprints.ts'
import { readStored } from '../../content/stored.ts'
import { fileBlueprintOf } from '../../groups/files/blueprint.ts'
import { ownerOfFile } from '../../groups/files/files.ts'
import { findByQuery } from '../../groups/files/list.ts'
import { type FileModel, type FileParent, filesIn } from '../../groups/files/target.ts'
import { dragTextOf, urlOf } from '../../groups/files/view.ts'
import { showSlices, slicesOf } from '../../http/list.ts'
import { pageFileParent } from '../../groups/pages/files.ts'
import { ownerOfModel } from '../pickers/choices.ts'
import { imageFor } from '../pickers/images.ts'
import { textFor } from '../pickers/texts.ts'
import { modelsIn } from '../query/lists.ts'
import type { Subject } from '../query/scope.ts'
import { canViewSite } from '../../access/authorize/authorize.ts'
import { siteFileParent } from '../../groups/site/target.ts'
import { userFileParent } from '../../groups/users/files.ts'
import { acceptOf } from './accept.ts'
import {
  type SectionQuery,
  clamped,
  errorsOf,
  isFull,
  layoutOf,
  limitOf,
  listOptions,
  parentOf,
  searchTermOf,
} from './list.ts'
import { cellsOf, columnsOf } from './table.ts'
import type { SectionContents, FilesSection } from './view.ts'
import { apiUrlOf, runQuery, type SectionContext } from './context.ts'

/** A files section: the files of a page, the site or an account, or the results of its query. */
export async function showFiles(
  context: SectionContext,
  section: Section,
  query: SectionQuery,
): Promise<SectionContents<FilesSection>> {
  const { subject, parent } = await fileParentIn(context, section)
  const searchTerm = searchTermOf(section, query)
  const all = await filesOf(context, section, parent, '')
  const found = searchTerm === '' ? all : await filesOf(context, section, parent, searchTerm)
  const limit = limitOf(section)
  const slice = clamped(found.length, query, limit)
  const shown = slicesOf(slice, found.slice(slice.offset, slice.offset + limit))
  const { data, pagination } = await showSlices(shown, models =>
    Promise.all(models.map(model => itemOf(context, section, model))),
  )
  const accept = acceptOf(context, section)
  const api = subject && parent ? apiUrlOf(subject) : null
  const sortable = isSortable(section, searchTerm)
  return {
    data,
    errors: await errorsOf(context, section, all.length),
    options: {
      accept,
      apiUrl: api === null ? null : `${api}/sections/${section.name}`,
      columns: await columnsOf(context, section, data[0] && fileBlueprintOf(context.ctx.app, data[0])),
      ...(await listOptions(context, section)),
      link: subject === context.subject ? null : (parent?.link ?? null),
      sortable,
      upload: uploadOf(context, section, {
        total: all.length,
        accept,
        api,
        sortable,
        canChange: parent?.canChange === true,
      }),
    },
    pagination,
  }
}

export async function countFiles(context: SectionContext, section: Section): Promise<number> {
  const { parent } = await fileParentIn(context, section)
  return (await filesOf(context, section, parent, '')).length
}

/** The parent of the files of a section; undefined if its `parent` finds nothing, or the caller may not see it. */
export async function fileParentIn(context: SectionContext, section: Section) {
  const subject = await parentOf(context, section)
  return { subject, parent: subject && fileParent(context, subject) }
}

function fileParent({ ctx }: SectionContext, subject: Subject): FileParent | undefined {
  const { app } = ctx
  if (subject.kind === 'page') return pageFileParent(subject.row, app)
  if (subject.kind === 'user') return userFileParent(subject.row, ctx)
  return subject.kind === 'site' && canViewSite(ctx) ? siteFileParent(undefined, app) : undefined
}

async function filesOf(
  context: SectionContext,
  section: Section,
  parent: FileParent | undefined,
  searchTerm: string,
): Promise<FileModel[]> {
  const { ctx } = context
  const { query: source, sortBy, template, flip } = section
  const query = { ...(searchTerm !== '' && { search: searchTerm }), ...(typeof sortBy === 'string' && { sortBy }) }
  const files =
    typeof source === 'string'
      ? await foundBy(context, source, searchTerm)
      : !parent
        ? []
        : Object.keys(query).length === 0
          ? await filesIn(ctx, parent)
          : await findByQuery(ctx, parent, query)
  const matching = typeof template === 'string' ? files.filter(({ file }) => file.template === template) : files
  return flip === true ? matching.toReversed() : matching
}

async function foundBy(context: SectionContext, source: string, searchTerm: string): Promise<FileModel[]> {
  const models = (await modelsIn(await runQuery(context, source))) ?? []
  return models
    .flatMap(({ kind, row }) => (kind === 'file' ? [row as FileModel] : []))
    .filter(({ file }) => canListFile(context.ctx, file) && file.name_key.includes(searchTerm.toLowerCase()))
}

async function itemOf(context: SectionContext, section: Section, model: FileModel) {
  const { ctx } = context
  const { file, parent } = model
  const subject = { kind: 'file', row: model } as const
  const [image, info = '', text = file.filename] = await Promise.all([
    imageFor(ctx, subject, section['image'], layoutOf(section)),
    textFor(ctx, section['info'], subject),
    textFor(ctx, section['text'], subject),
  ])
  const link = `${parent.link}/files/${file.filename}`
  return {
    dragText: dragTextOf(file, ownerOfModel(context.subject) === file.parent),
    extension: file.extension,
    filename: file.filename,
    id: parent.idPrefix + file.filename,
    image,
    info,
    link,
    mime: file.mime,
    parent: parent.link.slice(1),
    template: file.template,
    text,
    url: urlOf(model, ctx),
    ...(section['layout'] === 'table' &&
      (await cellsOf(context, section, {
        subject,
        text,
        link,
        form: fileBlueprintOf(ctx.app, file),
        owner: ownerOfFile(file.uuid),
        content: await contentOf(context, model),
      }))),
  }
}

async function contentOf({ ctx }: SectionContext, { file }: FileModel) {
  return readStored(ctx.app.store, ownerOfFile(file.uuid), await ctx.language(), fileBlueprintOf(ctx.app, file).fields)
}

function isSortable({ sortable = true, sortBy, flip, query }: Section, searchTerm: string): boolean {
  return sortable === true && sortBy === undefined && flip !== true && query === undefined && searchTerm === ''
}

interface Uploading {
  total: number
  accept: string | null
  api: string | null
  sortable: boolean
  canChange: boolean
}

/** Upload settings; false if the caller cannot add files. */
function uploadOf({ ctx }: SectionContext, section: Section, uploading: Uploading) {
  const { total, accept, api, sortable, canChange } = uploading
  const { max, create, uploads } = section
  const template = typeof section['template'] === 'string' ? section['template'] : null
  const isOffered = create !== false && uploads !== false && api !== null && canChange && !isFull(section, total)
  if (!isOffered || !isFileActionAllowed(ctx, 'create', { template })) return false
  const left = typeof max === 'number' ? max - total : null
  return {
    accept,
    multiple: left === null || left > 1,
    max: left,
    api: `${api}/files`,
    attributes: { sort: sortable ? total + 1 : null, template },
  }
}
