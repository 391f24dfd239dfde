import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../access/actor.ts'
import type { Fields } from '../blueprints/fields/field.ts'
import { changeContent, readContent, type StoredContent } from '../content/content.ts'
import { differing } from '../content/difference.ts'
import { formIn } from '../content/language-form.ts'
import { contentLanguage, isDefault } from '../content/languages/languages.ts'
import type { Problems } from '../content/rules.ts'
import { readStored } from '../content/stored.ts'
import type { Rules, RuleSubject } from '../content/with-rules.ts'
import type { ContentLanguage } from '../http/context.ts'
import { ApiError, fail } from '../platform/errors.ts'
import { Message } from '../platform/texts.ts'
import { inLanguage } from '../platform/translations/translations.ts'
import { actAs } from './acting.ts'
import { createCms } from './cms.ts'
import { callWithTimeout, TimeLimitExceeded } from './call-with-timeout.ts'
import { ExtensionRefusal } from './refuse.ts'
import type { LoadedExtension } from './loaded-extension.ts'
import type { Rule } from './rule.ts'
import { contentRuleNames } from './rule-names.ts'

/** Default time limit of a rule, in ms. */
const defaultTimeoutMs = 2000

/** A rule and the extension that declares it. */
export interface OwnRule {
  extension: LoadedExtension
  rule: Rule
}

/** The rules of all extensions, in the order of `quoin.config.ts`; undefined if there are none. */
export function createRules(all: readonly OwnRule[]): Rules | undefined {
  if (all.length === 0) return undefined
  const names = new Set(all.flatMap(({ rule }) => rule.names))

  function concerning({ operations, template }: Pick<RuleSubject, 'operations' | 'template'>): OwnRule[] {
    if (!operations.some(name => names.has(name))) return []
    return all.filter(({ rule: { names: own, options } }) => {
      const isLimited = options.templates && !options.templates.includes(template ?? '')
      return !isLimited && own.some(name => operations.includes(name))
    })
  }

  return {
    concern: subject => concerning(subject).length > 0,

    async run(ctx, subject) {
      const loaded = await withContent(ctx, subject)
      let { content } = loaded
      for (const one of concerning(subject)) content = await runOne(ctx, one, { ...loaded, content })
      return content
    },

    async problems(ctx, subject) {
      const loaded = await withContent(ctx, subject)
      let { content } = loaded
      const problems: Problems = {}
      for (const one of concerning(subject))
        try {
          content = await runOne(ctx, one, { ...loaded, content })
        } catch (error) {
          // The draft is saved all the same; a rule that has failed is in the log.
          if (error instanceof ApiError) addProblems(problems, error.details as Problems)
        }
      return problems
    },
  }
}

/** The subject of a rule, with the content read from the store. */
type LoadedSubject = RuleSubject & { content: StoredContent; language: ContentLanguage }

async function withContent({ app }: Context, subject: RuleSubject): Promise<LoadedSubject> {
  const { model } = subject
  const language = subject.language ?? (await contentLanguage(app, undefined))
  if (subject.content) return { ...subject, content: subject.content, language }
  const content = await readStored(app.store, model.owner, language, model.form.fields)
  return { ...subject, content, before: content, language }
}

function addProblems(problems: Problems, more: Problems): void {
  for (const [name, { label, message }] of Object.entries(more))
    problems[name] = { label, message: { ...problems[name]?.message, ...message } }
}

/** Runs a rule for each of its operations. Returns the content as it has amended it. */
async function runOne(ctx: Context, own: OwnRule, loaded: LoadedSubject): Promise<StoredContent> {
  let { content } = loaded
  for (const operation of loaded.operations)
    if (own.rule.names.includes(operation)) content = await runFor(ctx, own, operation, { ...loaded, content })
  return content
}

async function runFor(
  ctx: Context,
  { extension, rule }: OwnRule,
  operation: string,
  loaded: LoadedSubject,
): Promise<StoredContent> {
  const { app } = ctx
  const { kind, facts, content, before, language, model, input = {} } = loaded
  const form = formIn(model.form, language)
  const valuesOf = async (stored: StoredContent) => Object.freeze(await readContent(form, stored))
  const log = app.log.child({ extension: extension.name })
  const { actor } = ctx
  const known = !actor.isAnonymous && !actor.system ? { id: actor.user.id, role: actor.user.role } : undefined
  const context = {
    operation,
    page: kind === 'page' ? facts : undefined,
    file: kind === 'file' ? facts : undefined,
    user: kind === 'user' ? facts : undefined,
    content: await valuesOf(content),
    before: before && (await valuesOf(before)),
    input,
    language: language.code,
    caller: known,
    log,
  }
  const cmsUntil = (signal: AbortSignal) =>
    createCms(app, {
      extension: extension.name,
      collections: extension.collections,
      actor: actor.system ? 'extension' : actor,
      exchange: ctx.visitor ?? noVisitor,
      readOnly: true,
      signal,
    })
  const check = rule.check as (given: object) => unknown
  try {
    const returned = await callWithTimeout(
      signal => actAs(extension.name, () => check({ ...context, cms: cmsUntil(signal), signal })),
      rule.options.timeout ?? defaultTimeoutMs,
    )
    if (returned === undefined) return content
    if (!isAmendable(operation)) throw new InvalidResult(`content of ${operation} cannot be amended`)
    return await amend(loaded, returned)
  } catch (error) {
    if (app.store.isOutage(error)) throw error
    throw refusalOf(ctx, extension, loaded, error) ?? failureOf(ctx, extension, operation, loaded, error)
  }
}

const noVisitor = { ip: '127.0.0.1', userAgent: undefined, requestId: '' }

const amendable: ReadonlySet<string> = new Set(contentRuleNames)
const isAmendable = (operation: string) => amendable.has(operation)

// ---- refusals

/** The error that the rule has declared; undefined if it has failed instead. */
function refusalOf(
  { locale }: Context,
  { errors }: LoadedExtension,
  { model }: RuleSubject,
  error: unknown,
): ApiError | undefined {
  const declared = error instanceof ExtensionRefusal ? errors.get(error.key) : undefined
  if (!(error instanceof ExtensionRefusal) || !declared) return undefined
  const { data } = error
  const refusal = new ApiError(declared, data)
  const name = data['field']?.toLowerCase()
  const field = name === undefined ? undefined : model.form.fields.get(name)
  if (name === undefined || (!field && name !== 'title')) return refusal
  const message = { [declared.key]: inLanguage(new Message(declared.key, data, declared.texts), locale) }
  return refusal.with({ details: { [name]: { label: inLanguage(field?.label ?? name, locale), message } } })
}

/** Something that a rule may not return. */
class InvalidResult extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'InvalidResult'
  }
}

/** Nothing is stored that a rule could not check. */
function failureOf(
  { app }: Context,
  { name }: LoadedExtension,
  operation: string,
  { model }: RuleSubject,
  error: unknown,
): ApiError {
  const reason =
    error instanceof ExtensionRefusal ? new Error(`"${error.key}" is not among the errors of the extension`) : error
  app.log.error(
    { err: reason, extension: name, part: `rule ${operation}`, owner: model.owner },
    'a rule of an extension has failed',
  )
  const isKnown = reason instanceof InvalidResult || reason instanceof TimeLimitExceeded
  return fail('extension.failed', {
    name,
    part: isKnown ? `rule ${operation}: ${reason.message}` : `rule ${operation}`,
  })
}

// ---- amended content

/** Values that a rule returns go through the field types, like values that are sent. */
async function amend({ model, content, language }: LoadedSubject, returned: unknown): Promise<StoredContent> {
  const amended = plainValues(returned)
  const names = Object.keys(amended)
  const { fields, broken } = model.form
  const unknown = names.find(name => !fields.has(name) && !Object.hasOwn(content, name))
  if (unknown !== undefined) throw new InvalidResult(`there is no field "${unknown.slice(0, 100)}"`)
  const form = formIn({ fields: enabled(fields, names), broken }, language)
  // Untranslatable fields are stored in the default language only.
  const isStored = (name: string) => isDefault(language) || fields.get(name)?.translate !== false
  const sent = Object.fromEntries(Object.entries(amended).filter(([name]) => isStored(name)))
  const options = { validate: false, reserved: model.reserved, shownReferences: 'all' as const }
  const changed = await changeContent(form, content, sent, options)
  if ('errors' in changed)
    throw new InvalidResult(`the value of "${Object.keys(changed.errors).join('", "')}" does not fit`)
  return differing(content, changed.stored).length > 0 ? changed.stored : content
}

/** Lower-case names, as fields have them, and values as JSON would have them. */
function plainValues(returned: unknown): Record<string, unknown> {
  const isPlain =
    typeof returned === 'object' &&
    returned !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(returned) as object | null)
  if (!isPlain) throw new InvalidResult('it must return nothing, or an object of values by field')
  const defined = Object.entries(returned).filter(([, value]) => value !== undefined)
  const values = defined.map(([name, value]) => [name.toLowerCase(), plainValue(name, value)] as const)
  return Object.fromEntries(values)
}

function plainValue(name: string, value: unknown): unknown {
  let plain: unknown
  try {
    plain = JSON.parse(JSON.stringify(value))
  } catch {
    plain = undefined
  }
  // A date, a function inside an object and so on would be stored as something else than the rule has returned.
  if (!isDeepStrictEqual(plain, value)) throw new InvalidResult(`the value of "${name.slice(0, 100)}" is not JSON`)
  return plain
}

/** Fields that are disabled in forms are often computed: rules may set them. */
function enabled(fields: Fields, names: readonly string[]): Fields {
  if (!names.some(name => fields.get(name)?.disabled)) return fields
  return new Map(
    [...fields].map(([name, field]) => [name, names.includes(name) ? { ...field, disabled: false } : field]),
  )
}
