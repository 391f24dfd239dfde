import { z } from 'zod'
import { startBlueprint, inaccessibleBlueprint, plainOf, type BlueprintContext } from './start-blueprint.ts'
import type { Accept, FileBlueprint } from './blueprints.ts'
import { checkSettings, reportUnknown } from './settings.ts'
import { isEntries, isList, type Node, type Report } from './source.ts'

export function defineFile(site: BlueprintContext, template: string): FileBlueprint {
  const name = `files/${template}`
  const start = startBlueprint(site, 'files', name)
  return {
    ...(start?.blueprint ?? inaccessibleBlueprint('files', name)),
    accept: start ? defineAccept(start.settings.value.get('accept'), site.report) : acceptNothing,
    create: plainOf(start?.settings.value.get('create')),
    changeTemplate: start?.options.changeTemplate ?? [],
  }
}

// ---- accepted files

/** Accepted types where a blueprint names neither MIME types nor extensions nor types. */
const defaultTypes = ['image', 'document', 'archive', 'audio', 'video']

/** A comma-separated string, or a list. */
const several = z
  .union([z.string(), z.array(z.string())])
  .transform(value => (typeof value === 'string' ? value.split(',') : value).map(item => item.trim().toLowerCase()))
  .transform(items => items.filter(Boolean))
const size = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\d{1,15}\s*$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0))

const schema = z.object({
  mime: several.optional(),
  extension: several.transform(items => items.map(item => item.replace(/^\./, ''))).optional(),
  type: several.optional(),
  minsize: size.optional(),
  maxsize: size.optional(),
  minwidth: size.optional(),
  maxwidth: size.optional(),
  minheight: size.optional(),
  maxheight: size.optional(),
  orientation: z.enum(['landscape', 'portrait', 'square']).optional(),
})

const acceptNothing: Accept = { mime: [] }

/** Which files this blueprint accepts. An invalid setting accepts none. */
function defineAccept(node: Node | undefined, report: Report): Accept {
  if (!node || node.value === null || node.value === true) return { type: defaultTypes }
  if (typeof node.value === 'string' || isList(node)) {
    return defineAccept({ at: node.at, value: new Map([['mime', node]]) }, report)
  }
  if (!isEntries(node)) {
    report(node.at, '"accept" must be a MIME type such as "image/*", or a group of settings')
    return acceptNothing
  }
  // The camel-case names `maxSize` and `minWidth` are accepted too.
  const settings = { ...node, value: new Map([...node.value].map(([name, inner]) => [name.toLowerCase(), inner])) }
  reportUnknown(settings, Object.keys(schema.shape), report)
  const { mime, extension, type, ...limits } = checkSettings(schema, settings, report) ?? acceptNothing
  return {
    ...definedOnly(limits),
    ...(mime && { mime }),
    ...(extension && { extension }),
    ...(type ? { type } : !mime && !extension && { type: defaultTypes }),
  }
}

const definedOnly = (limits: object) =>
  Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined)) as Accept
