import { z } from 'zod'
import { model } from '../../http/answer.ts'
import type { DenialKey } from '../../access/authorize/authorize.ts'
import { endpoint } from '../../http/endpoint.ts'
import type { RequestContext } from '../../http/context.ts'
import { languageQuery } from '../../http/query-schemas.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { expectedRevision, withCurrentOnConflict, sendRevision, withoutRevision } from '../revision.ts'
import { visibleReferences } from '../visible.ts'
import { refuseUnknown, strictQuery } from '../strict.ts'
import { sendUpdatedRevision, draftParameters, findersOf, type VersionedResource, okay } from '../versioned.ts'
import { discardChanges, saveDraft, takeOver } from './changes.ts'
import { changesSchema, savedDraftAnswer, showChanges } from './view.ts'

const content = z.record(z.string().min(1).max(100), z.unknown()).optional()
const readQuery = z.strictObject(languageQuery)
const draftQuery = z.strictObject(draftParameters)
const strictDraftQuery = z.strictObject({ ...draftParameters, ...strictQuery })

type DraftQuery = z.output<typeof draftQuery>

/** Endpoints for drafts. Mounted under pages, files, accounts and the site. */
export function changesOf<Params>(resource: VersionedResource<Params>) {
  const { find, findToRead } = findersOf(resource)

  return {
    get: endpoint({
      method: 'GET',
      path: '/changes',
      summary: 'Retrieve the changes that are not published yet',
      description:
        'The content as it would be after publishing, the names of the changed fields, conflicts with what was published meanwhile, broken rules, and who has the edit lock.',
      access: resource.access,
      on: findToRead,
      query: readQuery,
      answer: model(changesSchema),
      handler: ({ ctx, target }) => showChanges(ctx, target),
    }),

    save: endpoint({
      method: 'POST',
      path: '/changes/save',
      summary: 'Keep changes without publishing them',
      description: [
        'Saves the sent values as the draft in the language of the request, over the draft before. Readers do not see it. Values must have the right form, but may break rules of the blueprint, which `errors` lists.',
        'Takes the edit lock for ten minutes: other accounts get 423 until then. With `draftRevision` a draft that has changed since you read it is not overwritten: 412.',
      ],
      access: resource.access,
      authorizedByOperation: true,
      on: find,
      query: strictDraftQuery,
      body: content,
      answer: savedDraftAnswer,
      handler: async ({ ctx, exchange, target, query, body = {} }) => {
        const { sent, revision } = withoutRevision(body, target.model.form)
        await refuseUnknown(ctx, query.strict, target.model, sent)
        const edit = await editOf(ctx, exchange, query, 'version.save.permission', revision)
        const shownReferences = await visibleReferences(ctx, target.model, sent)
        const keep = () => saveDraft(ctx, target, { ...edit, sent, shownReferences })
        const saved = await withCurrentOnConflict(keep, () => target.show())
        sendRevision(exchange, saved.revision)
        return saved
      },
    }),

    publish: endpoint({
      method: 'POST',
      path: '/changes/publish',
      summary: 'Publish the changes',
      description: [
        'Publishes the draft together with the sent values, in the language of the request, and deletes the draft. All rules of the blueprint are checked. Adds a version to the history.',
        'A field that was published with another value meanwhile is 412, unless `If-Match` has the present revision.',
      ],
      access: resource.access,
      authorizedByOperation: true,
      on: find,
      query: strictDraftQuery,
      body: content,
      answer: okay,
      handler: ({ ctx, exchange, target, query, body = {} }) =>
        sendUpdatedRevision({ ctx, exchange, target }, async () => {
          const { sent, revision } = withoutRevision(body, target.model.form)
          await refuseUnknown(ctx, query.strict, target.model, sent)
          const edit = await editOf(ctx, exchange, query, 'version.publish.permission', revision)
          const shownReferences = await visibleReferences(ctx, target.model, sent)
          return target.update({ ...edit, sent, shownReferences, publish: true })
        }),
    }),

    discard: endpoint({
      method: 'POST',
      path: '/changes/discard',
      summary: 'Discard the changes',
      description:
        'Deletes the draft in the language of the request. Published content stays. The draft of another window can be brought back from the history for a day.',
      access: resource.access,
      authorizedByOperation: true,
      on: find,
      query: draftQuery,
      answer: okay,
      handler: ({ ctx, exchange, target, query }) =>
        sendUpdatedRevision({ ctx, exchange, target }, async () =>
          discardChanges(ctx, target, await editOf(ctx, exchange, query, 'version.discard.permission')),
        ),
    }),

    unlock: endpoint({
      method: 'POST',
      path: '/changes/unlock',
      summary: 'Take over the changes of another account',
      description:
        "Makes the draft of another account the caller's own, with the edit lock; the values stay, and the former author can no longer save.",
      access: resource.access,
      authorizedByOperation: true,
      on: find,
      query: draftQuery,
      answer: okay,
      handler: ({ ctx, exchange, target, query }) =>
        sendUpdatedRevision({ ctx, exchange, target }, async () =>
          takeOver(ctx, target, await editOf(ctx, exchange, query, 'version.save.permission')),
        ),
    }),
  }
}

async function editOf(
  ctx: RequestContext,
  exchange: HttpExchange,
  query: DraftQuery,
  refusal: DenialKey,
  revision?: number,
) {
  return {
    language: await ctx.language(),
    expected: expectedRevision(exchange, revision),
    draftRevision: query.draftRevision,
    window: query.window,
    refusal,
  }
}
