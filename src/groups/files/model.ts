import type { App } from '../../app.ts'
import type { Model } from '../../content/save.ts'
import { blueprintOf } from './blueprint.ts'

/** The owner URI of the content of a file. */
export function ownerOf(uuid: string): string {
  return `file://${uuid}`
}

/** A file as a content model. */
export function fileModelOf(app: App, file: { uuid: string; template: string | null }): Model {
  return { owner: ownerOf(file.uuid), form: blueprintOf(app, file), reserved, keep: app.config.history.keep }
}

/** Properties that are not content: each is changed by an operation of its own. */
export const reserved: ReadonlySet<string> = new Set(['sort', 'template', 'uuid'])
