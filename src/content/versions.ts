import { changesOf } from './changes/api.ts'
import { historyOf } from './history/api.ts'
import type { VersionedResource } from './versioned.ts'

/** Endpoints for drafts and versions, to be mounted under the path of a model. */
export function versionsOf<Params>(noun: VersionedResource<Params>) {
  return { changes: changesOf(noun), history: historyOf(noun) }
}
