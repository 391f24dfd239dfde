import type { Accept, Section } from '../../blueprints/blueprints.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import { defaultTypes } from '../../blueprints/file.ts'
import { isLike } from '../../groups/files/rules.ts'
import { knownExtensions, mimeOf, typeOf } from '../../groups/files/types.ts'
import type { SectionContext } from './context.ts'

/**
 * The `accept` attribute of a file input: the setting `accept` of the section as it is written, or the extensions that
 * the template accepts. Null without either.
 */
export function acceptOf({ ctx }: SectionContext, { template, accept }: Section): string | null {
  if (typeof accept === 'string') return accept
  return typeof template === 'string' ? extensionsIn(ctx.app.blueprints.file(template).accept) : null
}

/** Upload settings of a field, and what its template accepts as `accept` attribute; false if uploads are disabled. */
export function uploadsOf({ ctx }: SectionContext, setting: unknown): false | Readonly<Record<string, unknown>> {
  if (setting === false) return false
  const settings = isMap(setting) ? setting : typeof setting === 'string' ? { template: setting } : {}
  const { template } = settings as { template?: unknown }
  const accept = typeof template === 'string' ? extensionsIn(ctx.app.blueprints.file(template).accept) : '*'
  return { ...settings, accept }
}

function extensionsIn({ mime, extension, type }: Accept): string {
  if (mime) {
    const matches = (one: string) => mime.some(pattern => isLike(mimeOf(one) ?? '', pattern))
    return dotted(knownExtensions.filter(matches))
  }
  // The default refuses only code and unknown types, which the upload reports: file dialogs offer everything.
  if (!extension && type && isDefault(type)) return '*'
  const ofType = type && knownExtensions.filter(one => type.includes(typeOf(one) ?? ''))
  return dotted(extension ? extension.filter(one => !ofType || ofType.includes(one)) : (ofType ?? []))
}

const isDefault = (types: readonly string[]) =>
  types.length === defaultTypes.length && defaultTypes.every(type => types.includes(type))

const dotted = (extensions: readonly string[]) => extensions.map(one => `.${one}`).join(',')
