import { z } from 'zod'
import type { App } from '../app.ts'
import { answer } from '../http/answer.ts'
import type { PermissionTarget } from '../http/endpoint.ts'
import type { RequestContext } from '../http/context.ts'
import { languageQuery } from '../http/view.ts'
import type { Permission } from '../blueprints/permissions/permissions.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { Caller } from '../access/session/identify.ts'
import type { Tx } from '../platform/store/store.ts'
import { orCurrent, sendRevision } from './revision.ts'
import type { ContentChange, Model } from './save.ts'

/** A page, the site, a file or an account, as something whose content has changes and a history. */
export interface Versioned extends PermissionTarget {
  model: Model
  /** Holds it until the end of the transaction, and says at which revision it is; 404 if it has gone. */
  lock(tx: Tx): Promise<number>
  /** The update of the noun with all its rules. Answers with the revision that the thing is at then. */
  update(change: ContentChange): Promise<number>
  /** Without what is no content and only sent back as it was read, where there is such. */
  contentIn?(sent: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** As it is now, for those who come too late. */
  show(ctx: RequestContext): Promise<unknown>
}

export interface FindRequest<Params> {
  app: App
  caller: Caller | undefined
  params: Params
  ctx: RequestContext
}

/** A kind of things that have content: how one is found, and the right that its changes and its history need. */
export interface Noun<Params> {
  find(request: FindRequest<Params>): Promise<Versioned>
  access: Permission
  /** The right that a change of the title needs, where there is one. */
  title?: Permission
}

/** The one that an endpoint is about; its path is known only where it is mounted. */
export const finding =
  <Params>(noun: Noun<Params>) =>
  (request: FindRequest<object>) =>
    noun.find(request as FindRequest<Params>)

/** What everything that changes a draft can say about it. */
export const draftParameters = {
  ...languageQuery,
  /** The `draftRevision` that was read last; 0 if there was no draft. Another one by now is 412. */
  draftRevision: z.coerce.number().int().min(0).max(999_999_999_999_999).optional(),
  /** Names the window of the browser: a draft that another window overwrites stays in the history for a day. */
  window: z.string().min(1).max(64).optional(),
}

const status = z.object({ status: z.literal('ok') })

/** As clients of these endpoints know it. */
export const okay = answer<void, typeof status>(status, () => ({ status: 'ok' }))

/** The answer says at which revision the thing is; whoever comes too late is shown it. */
export async function sendUpdatedRevision(
  { ctx, exchange, target }: { ctx: RequestContext; exchange: HttpExchange; target: Versioned },
  work: () => Promise<number>,
): Promise<void> {
  sendRevision(exchange, await orCurrent(work, () => target.show(ctx)))
}
