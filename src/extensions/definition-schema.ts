import { z } from 'zod'
import type { DocumentCollection } from './collections.ts'
import type { AnyOwnEndpoint, Definition } from './define.ts'
import type { AnyOwnFieldType } from './field-type.ts'
import type { Handler, ScheduledJob } from './handlers.ts'
import type { OwnPanel, OwnScreen } from './own-panel.ts'
import type { Rule, RuleOptions } from './rule.ts'

/**
 * The form of a definition, for authors without a compiler. Only the form: what names and values must be is checked
 * afterwards, part by part. `any` is what those checks describe better.
 */
const any = z.unknown().optional()
const text = z.string('must be a text')
const number = z.number('must be a number')
const texts = z.array(text, 'must be a list of texts')
const schema = z.custom<z.ZodType>(
  value => typeof (value as Partial<z.ZodType> | null | undefined)?.safeParse === 'function',
  'must be a schema such as z.object({ … })',
)
const group = <Value extends z.ZodType>(value: Value, such: string) =>
  z.record(z.string(), value, { error: `must be an object such as ${such}` })
const list = <Value extends z.ZodType>(value: Value, such: string) => z.array(value, `must be a list such as ${such}`)
const object = <Parts extends z.ZodRawShape>(shape: Parts, what = 'an object') =>
  z.strictObject(shape, { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : `must be ${what}`) })

/** A type of ours that gets another property does not compile until it is listed here. */
type Shape<Type> = Record<keyof Required<Type>, z.ZodType>

const fieldType = object(
  {
    shown: any,
    settings: any,
    storedAs: any,
    type: text.optional(),
    read: any,
    write: any,
    check: any,
  } satisfies Shape<AnyOwnFieldType>,
  'what fieldType returns',
)

const label = z.union([text, z.record(z.string(), text)], 'must be a text, or texts by language')
const screen = object({
  file: text,
  label: label.optional(),
  icon: text.optional(),
  access: text.optional(),
} satisfies Shape<OwnScreen>)
const files = group(text, `{ book: './panel/book.ts' }`).optional()
const panel = object(
  {
    fields: files,
    blocks: files,
    screens: group(screen, `{ orders: { file, label } }`).optional(),
  } satisfies Shape<OwnPanel>,
  'an object with fields, blocks or screens',
)

const collection = object(
  { name: text, value: schema, index: texts, put: any, delete: any } satisfies Shape<DocumentCollection>,
  'what documents returns',
)

const handler = object(
  { event: text, name: text, templates: texts, languages: texts, timeout: number, run: any } satisfies Shape<Handler>,
  'what on returns',
)

const job = object(
  {
    name: text,
    at: any,
    timeZone: text.optional(),
    timeout: number,
    run: any,
  } satisfies Shape<ScheduledJob>,
  'what job returns',
)

const rule = object(
  {
    names: texts,
    check: any,
    options: object({ templates: texts.optional(), timeout: number.optional() } satisfies Shape<RuleOptions>),
  } satisfies Shape<Rule>,
  'what rule returns',
)

const endpoint = object({
  method: any,
  path: any,
  summary: text,
  description: z.union([text, texts], 'must be a text').optional(),
  access: text,
  query: schema.optional(),
  body: schema.optional(),
  bodyLimit: number.optional(),
  answer: any,
  perMinute: any,
  timeout: any,
  sharedMaxAge: any,
  handler: any,
} satisfies Shape<AnyOwnEndpoint>)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An endpoint has a path, a method or a handler; everything else has further endpoints, which may have these names. */
export const isOwnEndpoint = (node: object): boolean =>
  Object.entries(node).some(([key, value]) => ['path', 'method', 'handler'].includes(key) && !isObject(value))

const endpoints = z.unknown().superRefine(function walk(node, context, path: readonly string[] = []) {
  if (!isObject(node))
    return context.addIssue({ code: 'custom', path: [...path], message: 'must be an object of endpoints' })
  if (!isOwnEndpoint(node)) {
    for (const [key, inner] of Object.entries(node)) walk(inner, context, [...path, key])
    return
  }
  for (const issue of endpoint.safeParse(node).error?.issues ?? [])
    for (const message of messagesOf(issue))
      context.addIssue({ code: 'custom', path: [...path, ...issue.path], message })
})

const error = z.tuple([number, text], 'must be a status and a text such as [409, "It is closed."]')

const definition = object({
  name: text,
  file: text.optional(),
  settings: schema.optional(),
  blueprints: z.instanceof(URL, { error: `must be new URL('./blueprints', import.meta.url)` }).optional(),
  permissions: group(text, `{ orders: 'See orders.' }`).optional(),
  store: list(collection, `[documents('orders', { value })]`).optional(),
  fields: group(fieldType, '{ isbn: fieldType({ … }) }').optional(),
  endpoints: endpoints.optional(),
  rules: list(rule, `[rule('pages.publish', …)]`).optional(),
  on: list(handler, `[on('page.published', …)]`).optional(),
  jobs: list(job, `[job('nightly', { … })]`).optional(),
  errors: group(error, `{ closed: [409, 'It is closed.'] }`).optional(),
  texts: group(
    group(text.optional(), `{ closed: 'Geschlossen.' }`).optional(),
    `{ de: { closed: 'Geschlossen.' } }`,
  ).optional(),
  panel: panel.optional(),
} satisfies Shape<Definition>)

const messagesOf = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys' ? issue.keys.map(key => `there is no option "${key}"`) : [issue.message]

/** What is wrong with the form of a definition, each with its path. */
export function formProblems(given: unknown): string[] {
  return (definition.safeParse(given).error?.issues ?? []).flatMap(issue => {
    if (issue.path.length === 0 && issue.code === 'unrecognized_keys')
      return issue.keys.map(key => `there is no part "${key}" of an extension`)
    const place = placeOf(given, issue.path)
    return messagesOf(issue).map(message => (place === '' ? message : `${place}: ${message}`))
  })
}

/** What is in a list is shown by its name: `on page.published`, `job nightly`. */
const lists: Record<string, { word: string; name: string }> = {
  on: { word: 'on', name: 'event' },
  jobs: { word: 'job', name: 'name' },
  rules: { word: 'rule', name: 'names' },
  store: { word: 'store', name: 'name' },
}

function placeOf(given: unknown, [part = '', at, ...rest]: readonly PropertyKey[]): string {
  const { word, name } = lists[String(part)] ?? {}
  if (word === undefined || name === undefined || typeof at !== 'number')
    return [part, ...(at === undefined ? [] : [at]), ...rest].map(String).join('.')
  const element = (given as Record<string, unknown[]>)[String(part)]![at]
  const found = isObject(element) ? element[name] : undefined
  const shown =
    typeof found === 'string' || Array.isArray(found) ? `${word} ${String(found)}` : `${String(part)}[${at}]`
  const inner = rest.filter(key => key !== 'options').map(String)
  return inner.length === 0 ? shown : `${shown}: ${inner.join('.')}`
}
