import { z } from 'zod'
import { readCommonSettings, inaccessibleBlueprint, plainOf, type BlueprintContext } from './common-settings.ts'
import type { Accept, FileBlueprint } from './blueprints.ts'
import { checkSettings, reportUnknown } from './settings.ts'
import { isEntries, isList, type YamlNode, type ReportProblem } from './source.ts'

export function parseFileBlueprint(context: BlueprintContext, template: string): FileBlueprint {
  const name = `files/${template}`
  const common = readCommonSettings(context, 'files', name)
  return {
    ...(common?.blueprint ?? inaccessibleBlueprint('files', name)),
    accept: common ? parseAccept(common.settings.value.get('accept'), context.report) : acceptNothing,
    create: plainOf(common?.settings.value.get('create')),
    changeTemplate: common?.options.changeTemplate ?? [],
  }
}

// ---- accepted files

/** Default for `type` if the blueprint sets none of `mime`, `extension` and `type`: all types except code. */
export const defaultTypes = ['image', 'document', 'archive', 'audio', 'video']

/** A comma-separated string, or a list. */
const stringList = z
  .union([z.string(), z.array(z.string())])
  .transform(value => (typeof value === 'string' ? value.split(',') : value).map(item => item.trim().toLowerCase()))
  .transform(items => items.filter(Boolean))
const nonNegativeNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*\d{1,15}\s*$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0))

const schema = z.object({
  mime: stringList.optional(),
  extension: stringList.transform(items => items.map(item => item.replace(/^\./, ''))).optional(),
  type: stringList.optional(),
  minsize: nonNegativeNumber.optional(),
  maxsize: nonNegativeNumber.optional(),
  minwidth: nonNegativeNumber.optional(),
  maxwidth: nonNegativeNumber.optional(),
  minheight: nonNegativeNumber.optional(),
  maxheight: nonNegativeNumber.optional(),
  orientation: z.enum(['landscape', 'portrait', 'square']).optional(),
})

const acceptNothing: Accept = { mime: [] }

/** Which files this blueprint accepts. An invalid setting accepts none. */
function parseAccept(node: YamlNode | undefined, report: ReportProblem): Accept {
  if (!node || node.value === null || node.value === true) return { type: defaultTypes }
  if (typeof node.value === 'string' || isList(node)) {
    return parseAccept({ at: node.at, value: new Map([['mime', node]]) }, report)
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
