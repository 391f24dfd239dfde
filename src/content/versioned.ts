import { z } from 'zod'
import type { App } from '../app.ts'
import { answer } from '../http/answer.ts'
import type { DenialKey, PermissionTarget } from '../access/authorize/authorize.ts'
import type { Caller } from '../access/actor.ts'
import type { RequestContext } from '../http/context.ts'
import { languageQuery } from '../http/query-schemas.ts'
import type { Permission } from '../blueprints/permissions/permissions.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { Tx } from '../platform/store/store.ts'
import { withCurrentOnConflict, sendRevision } from './revision.ts'
import type { ContentChange, Model } from './save.ts'
import type { RuledModel } from './with-rules.ts'
import { namedSchema } from '../platform/lib/schema-names.ts'

/** The row of a model as it is locked: its template or role may have changed since the request has found it. */
export interface LockedModel {
  revision: number
  model: Model
  /** False if the model has no title. */
  canChangeTitle: boolean
}

/** A page, file, account or the site, with what the endpoints for drafts and versions need. */
export interface Versioned extends PermissionTarget {
  model: Model
  /** Locks the row, if the actor may update it; 404 if it was deleted. */
  lock(tx: Tx, refusal: DenialKey | undefined): Promise<LockedModel>
  /** The update operation of the model, with all its checks. Returns the new revision. */
  update(change: ContentChange): Promise<number>
  /** For the rules of extensions. */
  ruled(): RuledModel
  /** Removes properties that are not content, which clients send back as they have read them. */
  contentIn?(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** The current state, for the details of a conflict error. */
  show(): Promise<unknown>
}

export interface FindRequest<Params> {
  app: App
  caller: Caller | undefined
  params: Params
  ctx: RequestContext
}

/** A kind of model: how to find one, and the permission for its drafts and versions. */
export interface VersionedResource<Params> {
  find: (request: FindRequest<Params>) => Promise<Versioned>
  /**
   * Finds one whose drafts and versions are read: no operation checks the permission of reads, so it throws if `access`
   * alone is not enough.
   */
  findToRead: (request: FindRequest<Params>) => Promise<Versioned>
  access: Permission
}

/** Finds the target of an endpoint. Not typed by path: that is known only where the endpoint is mounted. */
export function findersOf<Params>({ find, findToRead }: VersionedResource<Params>) {
  return {
    find: (request: FindRequest<object>) => find(request as FindRequest<Params>),
    findToRead: (request: FindRequest<object>) => findToRead(request as FindRequest<Params>),
  }
}

/** Query parameters of all endpoints that change a draft. */
export const draftParameters = {
  ...languageQuery,
  draftRevision: z.coerce
    .number()
    .int()
    .min(0)
    .max(999_999_999_999_999)
    .optional()
    .describe('The `draftRevision` that you have read; 0 if there was no draft. 412 if it has changed.'),
  window: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe(
      'An id of the browser window. If another window overwrites a draft, the old one stays in the history for a day.',
    ),
}

const status = namedSchema('Ok', z.object({ status: z.literal('ok') }))

/** Clients expect exactly this body. */
export const okay = answer<void, typeof status>(status, () => ({ status: 'ok' }))

/** Sends the new revision as `ETag`; a conflict error includes the current state. */
export async function sendUpdatedRevision(
  { exchange, target }: { ctx: RequestContext; exchange: HttpExchange; target: Versioned },
  work: () => Promise<number>,
): Promise<void> {
  sendRevision(exchange, await withCurrentOnConflict(work, () => target.show()))
}
