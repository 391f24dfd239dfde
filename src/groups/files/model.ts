import type { App } from '../../app.ts'
import type { Model } from '../../content/save.ts'
import { fileBlueprintOf } from './blueprint.ts'

/** The owner URI of the content of a file. */
export function ownerOfFile(uuid: string): string {
  return `file://${uuid}`
}

/** A file as a content model. */
export function fileModelOf(app: App, file: { uuid: string; template: string | null }): Model {
  return { owner: ownerOfFile(file.uuid), form: fileBlueprintOf(app, file), reserved, keep: app.config.history.keep }
}

/** Properties that are not content: each is changed by an operation of its own. */
export const reserved: ReadonlySet<string> = new Set(['sort', 'template', 'uuid'])
