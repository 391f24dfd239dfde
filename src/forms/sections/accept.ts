import type { Accept, Section } from '../../blueprints/blueprints.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import { isLike } from '../../groups/files/rules.ts'
import { knownExtensions, mimeOf, typeOf } from '../../groups/files/types.ts'
import type { SectionContext } from './context.ts'

const defaultTypes = 'archive audio document image video'

/** Accepted extensions for the `accept` attribute of a file input; null without a template. */
export function acceptOf({ ctx }: SectionContext, { template, accept }: Section): string | null {
  if (typeof accept === 'string') return accept
  return typeof template === 'string' ? endingsOf(ctx.app.blueprints.file(template).accept) : null
}

/** Upload settings of a field: template and accepted extensions; false if uploads are disabled. */
export function uploadsOf({ ctx }: SectionContext, setting: unknown): false | Readonly<Record<string, unknown>> {
  if (setting === false) return false
  const settings = isMap(setting) ? setting : typeof setting === 'string' ? { template: setting } : {}
  const { template } = settings as { template?: unknown }
  const accept = typeof template === 'string' ? endingsOf(ctx.app.blueprints.file(template).accept) : '*'
  return { ...settings, accept }
}

function endingsOf({ mime, extension, type }: Accept): string {
  if (mime) {
    const matches = (ending: string) => mime.some(pattern => isLike(mimeOf(ending) ?? '', pattern))
    return dotted(knownExtensions.filter(matches))
  }
  // The default settings restrict nothing.
  if (!extension && type?.toSorted().join(' ') === defaultTypes) return '*'
  const ofType = type && knownExtensions.filter(ending => type.includes(typeOf(ending) ?? ''))
  return dotted(extension ? extension.filter(ending => !ofType || ofType.includes(ending)) : (ofType ?? []))
}

const dotted = (endings: readonly string[]) => endings.map(ending => `.${ending}`).join(',')
