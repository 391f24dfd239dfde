import { changesOf } from './changes/api.ts'
import { historyOf } from './history/api.ts'
import type { VersionedResource } from './versioned.ts'

/** Endpoints for drafts and versions, to be mounted under the path of a model. */
export function versionsOf<Params>(resource: VersionedResource<Params>) {
  return { changes: changesOf(resource), history: historyOf(resource) }
}
