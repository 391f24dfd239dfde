import { z } from 'zod'
import type { RequestContext } from '../../http/context.ts'
import type { PublishOptions } from './status.ts'

/** What a change of the status, or a schedule, can do with the draft of the content. */
export const publishBody = {
  /** Also publishes the draft in the language of the request. */
  publishChanges: z.boolean().optional(),
  /** The `draftRevision` that the client read last; 412 if the draft has another one by now. */
  draftRevision: z.int().min(0).optional(),
}

/** The draft that the request publishes, if it does. */
export async function draftToPublish(
  ctx: RequestContext,
  {
    publishChanges = false,
    draftRevision,
  }: { publishChanges?: boolean | undefined; draftRevision?: number | undefined },
): Promise<PublishOptions | undefined> {
  return publishChanges ? { language: await ctx.language(), draftRevision } : undefined
}
