import { z } from 'zod'
import type { RequestContext } from '../../http/context.ts'
import type { Publish } from './status.ts'

/** What a change of the status, or a schedule, can do with the draft of the page. */
export const publishBody = {
  /** The draft in the language of the request is published with it. */
  publishChanges: z.boolean().optional(),
  /** The `draftRevision` of the draft that was read last; another one by now is 412. */
  draftRevision: z.int().min(0).optional(),
}

export async function publishIn(
  ctx: RequestContext,
  {
    publishChanges = false,
    draftRevision,
  }: { publishChanges?: boolean | undefined; draftRevision?: number | undefined },
): Promise<Publish | undefined> {
  return publishChanges ? { language: await ctx.language(), draft: draftRevision } : undefined
}
