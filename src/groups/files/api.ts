import { z } from 'zod'
import type { App } from '../../app.ts'
import { collectionBody, paged } from '../../content/collection.ts'
import { contentResource } from '../../content/resource.ts'
import {
  expectedRevision,
  withCurrentOnConflict,
  revisionBody,
  sendRevision,
  withoutRevision,
} from '../../content/revision.ts'
import { versionsOf } from '../../content/versions.ts'
import { strictQuery } from '../../content/strict.ts'
import { fail } from '../../platform/errors.ts'
import { collection, done, model } from '../../http/answer.ts'
import { endpoint, mount } from '../../http/endpoint.ts'
import { showList } from '../../http/list.ts'
import type { RequestContext } from '../../http/context.ts'
import { pagingQuery } from '../../http/paging.ts'
import { selectionQuery, versionQuery } from '../../http/query-schemas.ts'
import type { View } from '../../http/view.ts'
import type { Caller } from '../../access/actor.ts'
import { addFiles, parentForUpload } from './add.ts'
import { type Uploaded, uploaded, uploadedOne } from './answer.ts'
import { fileBlueprintOf } from './blueprint.ts'
import {
  changeName,
  changeTemplate,
  fileContentIn,
  deleteFile,
  lockFileModel,
  fileModelOf,
  updateContent,
} from './files.ts'
import { ruledFile } from './file-rules.ts'
import { checkReplacement, storeBytes, nameMustBeHarmless, withStoredBytes, withForm } from './upload.ts'
import { refuseOtherFields, withoutSort } from './form-fields.ts'
import { findByQuery } from './list.ts'
import { listFiles } from './listing/listing.ts'
import { prepareThumbs } from './prepare.ts'
import { replaceFile } from './replace.ts'
import { selectByUuid } from './queries.ts'
import { sortBody, sortByNames } from './sorting.ts'
import { type FileModel, type FileParent, type FileTarget, findFile, findToChange } from './target.ts'

const selectionSchema = z.strictObject(selectionQuery)
const listing = { ...selectionQuery, ...pagingQuery }
const reading = { ...listing, ...versionQuery }
const content = z.record(z.string().min(1).max(100), z.unknown())
const maxFiles = 20

interface FileRequest {
  app: App
  caller: Caller | undefined
  ctx: RequestContext
  params: object
}

export interface FilesOptions<Model, Shown, Params, Views> {
  /** The parent of the files; 404 if the caller may not see it. */
  find: (request: Omit<FileRequest, 'params'> & { params: Params }) => Promise<FileParent<Model>>
  view: View<FileModel<Model>, Shown, Views>
}

const nameIn = ({ params }: FileRequest) => (params as { filename: string }).filename

/** The endpoints of files, declared once and mounted below each kind of parent: pages, the site, accounts. */
export function filesOf<Model, Shown extends object, Params = { id: string }, Views = unknown>({
  find,
  view,
}: FilesOptions<Model, Shown, Params, Views>) {
  const parent = (request: FileRequest) => find(request as never)
  const one = async (request: FileRequest) => findFile(request.ctx, await parent(request), nameIn(request))
  const toChange = async (request: FileRequest) => findToChange(request.ctx, await parent(request), nameIn(request))

  const { show, readChange, respondWithUpdated, versioned } = contentResource({
    view,
    modelOf: (app, { file }: FileTarget<Model>) => fileModelOf(app, file),
    reload: async (ctx, { file, parent: owner }) => {
      const [row] = await selectByUuid(ctx.app.store, [file.uuid])
      if (!row) throw fail('file.notFound', { filename: file.filename })
      return { file: row, parent: owner }
    },
    revisionOf: ({ file }) => file.revision,
  })
  const versionedFile = (ctx: RequestContext, target: FileTarget<Model>) =>
    versioned(ctx, target, {
      lock: (tx, refusal) => lockFileModel(ctx, tx, target.file, refusal),
      update: change => updateContent(ctx, target.file, change),
      ruled: () => ruledFile(target.file),
      contentIn: sent => fileContentIn(target.file, sent),
    })

  return {
    list: endpoint({
      method: 'GET',
      path: '/files',
      summary: 'List the files',
      description: 'The files of the page, the site or the account that the caller may list, in their order.',
      access: 'reader',
      cacheable: true,
      isTagged: true,
      on: parent,
      query: z.strictObject(reading),
      answer: collection(view.schema),
      handler: ({ ctx, target, query }) => listFiles(ctx, view, target, query),
    }),

    upload: endpoint({
      method: 'POST',
      path: '/files',
      summary: 'Upload one or more files',
      description: [
        'Stores the files of a form (`multipart/form-data`, up to 20). The name is made safe, and the content must be what the extension says; blueprint rules for size and type are checked. Positions in images are removed unless `files.keepLocation` is set.',
        'Either all files are stored or none.',
      ],
      access: 'files.create',
      upload: { multiple: true, fields: ['template', 'sort'] },
      on: async request => parentForUpload(request.ctx, await parent(request)),
      selects: selectionSchema,
      answer: uploaded(view.schema),
      handler: ({ app, ctx, caller, target, selection, upload }) =>
        withForm(
          app,
          upload,
          { files: maxFiles, user: caller.user, checkName: nameMustBeHarmless },
          async (uploads, fields) => {
            const rows = await addFiles(ctx, target, uploads, fields)
            const shown: Uploaded<Partial<Shown>> = []
            for (const [at, file] of rows.entries())
              shown.push([uploads[at]!.clientName, unsorted(await view.show(ctx, { file, parent: target }, selection))])
            return shown
          },
        ),
    }),

    search: endpoint({
      method: 'GET',
      path: '/files/search',
      summary: 'Find files by words',
      description: 'Full-text search among the files of the page, the site or the account, the best first.',
      access: 'reader',
      cacheable: true,
      on: parent,
      query: z.strictObject({ ...reading, q: z.string().max(1000).default('') }),
      answer: collection(view.schema),
      handler: async ({ ctx, target, query }) =>
        showList(ctx, view, await findByQuery(ctx, target, { search: query.q }), query),
    }),

    query: endpoint({
      method: 'POST',
      path: '/files/search',
      summary: 'Find files by filters, words and order',
      description:
        'Filters, searches and sorts the files of the page, the site or the account by what the body says, and changes nothing. Unknown fields and operators are 400.',
      access: 'reader',
      readsAll: true,
      on: parent,
      query: z.strictObject(reading),
      body: collectionBody,
      answer: collection(view.schema),
      handler: async ({ ctx, target, query, body = {} }) =>
        showList(ctx, view, await findByQuery(ctx, target, body), { ...query, ...paged(body.paginate) }),
    }),

    sort: endpoint({
      method: 'PATCH',
      path: '/files/sort',
      summary: 'Sort the files',
      description: [
        'Puts the named files in this order, from position `index` on; the others keep their sort numbers. Unknown names are skipped.',
        'The caller needs the permission `files.update` for each of them; for the files of an account also `users.update`.',
      ],
      access: 'session',
      on: parent,
      query: z.strictObject(listing),
      body: sortBody,
      answer: collection(view.schema),
      handler: async ({ ctx, target, query, body }) => {
        await sortByNames(ctx, target, body)
        return listFiles(ctx, view, target, query)
      },
    }),

    get: endpoint({
      method: 'GET',
      path: '/files/:filename',
      summary: 'Retrieve a file',
      description:
        'What is known about a file, with its content in the language of the request and the URLs of its bytes and thumbnails. The bytes are at `url`.',
      access: 'reader',
      cacheable: true,
      isTagged: true,
      on: one,
      query: z.strictObject({ ...selectionQuery, ...versionQuery }),
      answer: model(view.schema),
      handler: ({ ctx, exchange, target, query }) => {
        sendRevision(exchange, target.file.revision)
        return view.show(ctx, target, query)
      },
    }),

    update: endpoint({
      method: 'PATCH',
      path: '/files/:filename',
      summary: 'Update the content of a file',
      description:
        "Publishes the sent fields of the file's blueprint; fields that are not sent stay. `sort` changes its position. Adds a version to the history.",
      access: 'files.update',
      authorizedByOperation: true,
      on: one,
      query: z.strictObject({ ...selectionQuery, ...strictQuery }),
      body: content.default({}),
      answer: model(view.schema),
      handler: async request => {
        const { app, ctx, target, body } = request
        const { sent: all, revision } = withoutRevision(body, fileBlueprintOf(app, target.file))
        const { sent, sort } = withoutSort(all)
        const change = { ...(await readChange(request, sent)), sort }
        return respondWithUpdated(request, revision, expected =>
          updateContent(ctx, target.file, { ...change, expected }),
        )
      },
    }),

    replace: endpoint({
      method: 'POST',
      path: '/files/:filename',
      summary: 'Replace a file by another one of the same kind',
      description:
        'Replaces the bytes by those of a form with one file of the same type. Name, content and references stay; the URL of the bytes changes, so no cache shows the old ones.',
      access: 'files.replace',
      upload: {},
      on: toChange,
      query: selectionSchema,
      answer: uploadedOne(view.schema),
      handler: request => {
        const { app, ctx, caller, target, upload } = request
        return withForm(app, upload, { files: 1, user: caller.user }, ([sent], fields) => {
          refuseOtherFields(fields)
          return respondWithUpdated(request, undefined, async expected => {
            const { received, ...bytes } = await checkReplacement(app, sent!, target.file, ctx.locale)
            await storeBytes(app, received)
            const revision = await withStoredBytes(app, [received], () =>
              replaceFile(ctx, target.file, bytes, expected),
            )
            prepareThumbs(app, { ...target.file, ...bytes })
            return revision
          })
        })
      },
    }),

    delete: endpoint({
      method: 'DELETE',
      path: '/files/:filename',
      summary: 'Delete a file',
      description:
        'Moves the file with its content and history to the trash, from where it can be restored for `trash.days`.',
      access: 'files.delete',
      authorizedByOperation: true,
      on: one,
      answer: done,
      handler: ({ ctx, exchange, target }) =>
        withCurrentOnConflict(
          () => deleteFile(ctx, target.file, expectedRevision(exchange)),
          () => show(ctx, target),
        ),
    }),

    changeName: endpoint({
      method: 'PATCH',
      path: '/files/:filename/name',
      summary: 'Rename a file',
      description:
        'Changes the name without the extension, which stays. The uuid stays, so references and fields that use the file follow.',
      access: 'files.changeName',
      authorizedByOperation: true,
      on: one,
      query: selectionSchema,
      /** Without the extension, which stays. */
      body: z.strictObject({ name: z.string().max(500), ...revisionBody }),
      answer: model(view.schema),
      handler: request => {
        const { ctx, target, body } = request
        return respondWithUpdated(request, body.revision, expected => changeName(ctx, target, body.name, expected))
      },
    }),

    changeTemplate: endpoint({
      method: 'PATCH',
      path: '/files/:filename/template',
      summary: 'Change the template of a file',
      description:
        'Gives the file another blueprint, one of those that its page, site or account offers. Its bytes must follow the rules of the new one.',
      access: 'files.changeTemplate',
      authorizedByOperation: true,
      on: one,
      query: selectionSchema,
      body: z.strictObject({ template: z.string().min(1).max(100), ...revisionBody }),
      answer: model(view.schema),
      handler: request => {
        const { ctx, target, body } = request
        return respondWithUpdated(request, body.revision, expected =>
          changeTemplate(ctx, target, body.template, expected),
        )
      },
    }),

    ...mount(
      '/files/:filename',
      versionsOf<object>({
        access: 'files.update',
        find: async request => versionedFile(request.ctx, await one(request)),
        findToRead: async request => versionedFile(request.ctx, await toChange(request)),
      }),
    ),
  }
}

/** A new file shows `sort: null` in its content. */
function unsorted<Shown extends object>(shown: Shown): Shown {
  const { content: stored } = shown as { content?: object }
  return stored ? { ...shown, content: { sort: null, ...stored } } : shown
}
