import { z } from 'zod'
import { collection, model } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { showSlices, slicesOf } from '../../http/list.ts'
import { paginate, pagingQuery } from '../../http/paging.ts'
import { languageQuery } from '../../http/query-schemas.ts'
import { contentLanguages } from '../languages/languages.ts'
import { restoreDraft } from '../changes/changes.ts'
import { expectedRevision } from '../revision.ts'
import { sendUpdatedRevision, draftParameters, findersOf, type VersionedResource, okay } from '../versioned.ts'
import { findOther, findVersion, findVersionIn } from './history.ts'
import { countVersions, selectVersions } from './queries.ts'
import { showVersion, showWhole, versionSchema, wholeVersionSchema } from './view.ts'

/** Endpoints for versions. They need the permission to update. Mounted under pages, files, accounts and the site. */
export function historyOf<Params>(resource: VersionedResource<Params>) {
  const { find, findToRead } = findersOf(resource)
  return {
    list: endpoint({
      method: 'GET',
      path: '/history',
      summary: 'List the versions of the content, newest first',
      description:
        'Versions of the published content, drafts that were overwritten within a day, and changes of status, slug, place, template and schedule. `kind` and `language` limit the list to one kind or one language.',
      access: resource.access,
      on: findToRead,
      /** With a language: only its versions, and events, which have no language. */
      query: z.strictObject({
        ...languageQuery,
        ...pagingQuery,
        kind: z.enum(['version', 'draft', 'event']).optional(),
      }),
      answer: collection(versionSchema),
      handler: async ({ app, ctx, exchange, target, query }) => {
        const hasLanguage = Boolean(query.language ?? exchange.headers['x-language'])
        const language = hasLanguage ? (await ctx.language()).key : undefined
        const filter = { owner: target.model.owner, language, kind: query.kind }
        const pagination = paginate(await countVersions(app.store, filter), query)
        const rows = await selectVersions(app.store, filter, pagination)
        const languages = await contentLanguages(app)
        return showSlices(slicesOf(pagination, rows), async slice => slice.map(row => showVersion(ctx, row, languages)))
      },
    }),

    get: endpoint({
      method: 'GET',
      path: '/history/:version',
      summary: 'Retrieve a version of the content, compared with another one',
      description:
        'The content of a version, and what differs from the version before it, from the present content (`compare=current`) or from another version.',
      access: resource.access,
      on: findToRead,
      query: z.strictObject({
        ...languageQuery,
        /** `previous`, `current`, or the id of a version. */
        compare: z
          .string()
          .regex(/^(previous|current|\d{1,15})$/)
          .default('previous'),
      }),
      answer: model(wholeVersionSchema),
      handler: async ({ app, ctx, params, target, query }) => {
        const found = await findVersion(app, target.model, params.version)
        return showWhole(ctx, target.model, found, await findOther(app, target.model, found, query.compare))
      },
    }),

    restore: endpoint({
      method: 'POST',
      path: '/history/:version/restore',
      summary: 'Go back to a version of the content, as a draft',
      description:
        'Makes the draft what the content was in this version, in the language of the version. Nothing is published by it.',
      access: resource.access,
      authorizedByOperation: true,
      on: find,
      query: z.strictObject(draftParameters),
      answer: okay,
      handler: ({ app, ctx, exchange, params, target, query }) =>
        sendUpdatedRevision({ ctx, exchange, target }, async () => {
          const languages = await contentLanguages(app)
          return restoreDraft(ctx, target, {
            findVersion: tx => findVersionIn(tx, target.model, params.version, languages),
            expected: expectedRevision(exchange),
            draftRevision: query.draftRevision,
            window: query.window,
            refusal: undefined,
          })
        }),
    }),
  }
}
