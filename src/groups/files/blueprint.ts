import type { App } from '../../app.ts'
import type { FileBlueprint } from '../../blueprints/blueprints.ts'

export function fileBlueprintOf({ blueprints }: App, { template }: { template: string | null }): FileBlueprint {
  return blueprints.file(template ?? 'default')
}
