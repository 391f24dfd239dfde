import { z } from 'zod'
import type { Look } from '../http/look.ts'
import type { Publish } from './status.ts'

/** What a change of the status, or a schedule, can do with the draft of the page. */
export const publishBody = {
  /** The draft in the language of the request is published with it. */
  publishChanges: z.boolean().optional(),
  /** The `draftRevision` of the draft that was read last; another one by now is 412. */
  draftRevision: z.int().min(0).optional(),
}

export async function publishIn(
  look: Look,
  {
    publishChanges = false,
    draftRevision,
  }: { publishChanges?: boolean | undefined; draftRevision?: number | undefined },
): Promise<Publish | undefined> {
  return publishChanges ? { language: await look.language(), draft: draftRevision } : undefined
}
