import { z } from 'zod'
import { fail } from '../platform/errors.ts'
import { chunks } from '../platform/lib/chunks.ts'
import { namedSchema } from '../platform/lib/schema-names.ts'
import { createYielder } from '../platform/lib/yield.ts'
import { message } from '../platform/texts.ts'
import { jsonBytes } from './json-bytes.ts'
import { addTags } from './tags.ts'
import type { RequestContext } from './context.ts'

/**
 * One field of a model: its schema and how it is read. `view` is set for a related model, `fallback` (the name of the
 * default view) for a list of them.
 */
interface Field<Model, Value> {
  /** Shown only if the request selects it by name. */
  isExtra?: true
  /** Always shown with `version=changes`. */
  isOfPreview?: true
  /** Shown in full in lists, too, instead of in the compact view. */
  isWhole?: true
  schema: z.ZodType<Value>
  read: (model: Model, ctx: RequestContext) => Value | Promise<Value>
  view?: AnyView
  fallback?: string
}

/** The `select` parameter: `select=a,b`, `select[]=a`, `select[role]=compact`. */
export type Select = string | string[] | Record<string, string | string[]>

export interface Selection {
  view?: string | undefined
  select?: Select | undefined
  /**
   * Set by a view definition instead of a request: unknown fields are ignored, because related models differ in fields.
   */
  isOfView?: boolean
}

/**
 * The schema of a view. `views` exists only as a type: the properties that each view shows, so that the typed client
 * knows what an answer has without `select`.
 */
export type ViewSchema<Shown, Views> = z.ZodType<Partial<Shown>> & { readonly views?: Views }

/** A model in one of its views, as accounts see it. */
export type InView<Of, Name extends string> = Of extends { schema: ViewSchema<infer Shown, infer Views> }
  ? Required<Pick<Shown, Views[Name & keyof Views] & keyof Shown>>
  : never

export interface View<Model, Shown, Views = unknown> {
  tagsOf?: (model: Model) => readonly string[]
  schema: ViewSchema<Shown, Views>
  /** Reads only the selected fields. Without a selection: those of the view `fallback`. */
  show(ctx: RequestContext, model: Model, selection?: Selection, fallback?: string): Promise<Partial<Shown>>
  /**
   * Shows the models of a list. In lists, the view `any` omits lists of related models and shows single related models
   * in their compact view: many models may have the same parent.
   */
  showAll(
    ctx: RequestContext,
    models: readonly Model[],
    selection?: Selection,
    fallback?: string,
  ): Promise<Partial<Shown>[]>
}

interface AnyView {
  schema: z.ZodType
  show(ctx: RequestContext, model: never, selection?: Selection, fallback?: string): Promise<unknown>
  showAll(ctx: RequestContext, models: readonly never[], selection?: Selection, fallback?: string): Promise<unknown[]>
}

/**
 * A view is a list of field names; `['role', 'compact']` or `['role', ['name']]` selects the fields of a related model.
 */
type Names<Fields> = readonly ((keyof Fields & string) | readonly [keyof Fields & string, string | string[]])[]
type ShownBy<Fields> = { [Name in keyof Fields]: Fields[Name] extends Field<never, infer Value> ? Value : never }

type NamesIn<List> = List extends readonly (infer Entry)[]
  ? Entry extends readonly [infer Name, ...unknown[]]
    ? Name
    : Entry
  : never
/** The fields of the view `any`: all but those that are only selected by name; in lists, without related lists. */
type PlainNames<Fields, Left = { isExtra: true }> = {
  [Name in keyof Fields]: Fields[Name] extends Left | { isExtra: true } ? never : Name
}[keyof Fields]
/** The names of the fields of each view. `anyInList`: of `any` in lists; `forAnonymous`: those that anonymous clients may see. */
type ViewsOf<Fields, Named, ForAnonymous> = {
  [Name in keyof Named | 'default']: Name extends keyof Named ? NamesIn<Named[Name]> : PlainNames<Fields>
} & { any: PlainNames<Fields>; anyInList: PlainNames<Fields, { fallback: string }>; forAnonymous: ForAnonymous }

type SelectedFields = { name: string; sub: Selection | undefined }[]

/** Helpers that check a field's schema against the type its function returns. */
export interface Builder<Model> {
  value<Schema extends z.ZodType>(
    schema: Schema,
    read: (model: Model, ctx: RequestContext) => z.output<Schema> | Promise<z.output<Schema>>,
  ): Field<Model, z.output<Schema>>
  /** A field that compatible APIs do not have: in no view, not even `any`; only by `select`. */
  extra<Schema extends z.ZodType>(
    schema: Schema,
    read: (model: Model, ctx: RequestContext) => z.output<Schema> | Promise<z.output<Schema>>,
  ): Field<Model, z.output<Schema>> & { isExtra: true }
  /** An extra field that every response with `version=changes` has. */
  ofPreview<Schema extends z.ZodType>(
    schema: Schema,
    read: (model: Model, ctx: RequestContext) => z.output<Schema>,
  ): Field<Model, z.output<Schema>> & { isExtra: true }
  one<Related, Shown>(
    view: View<Related, Shown>,
    read: (model: Model, ctx: RequestContext) => Related | Promise<Related>,
  ): Field<Model, Partial<Shown>>
  /** A related model that many models share and that is cheap to show: shown in full in lists, too. */
  whole<Related, Shown>(
    view: View<Related, Shown>,
    read: (model: Model, ctx: RequestContext) => Related | Promise<Related>,
  ): Field<Model, Partial<Shown>>
  /** A related model that may be missing. */
  maybe<Related, Shown>(
    view: View<Related, Shown>,
    read: (model: Model, ctx: RequestContext) => Related | null | Promise<Related | null>,
  ): Field<Model, Partial<Shown> | null>
  /** A list of related models, by default in the view `fallback`. */
  many<Related, Shown>(
    view: View<Related, Shown>,
    fallback: string,
    read: (model: Model, ctx: RequestContext) => Related[] | Promise<Related[]>,
  ): Field<Model, Partial<Shown>[]> & { fallback: string }
}

function builder<Model>(): Builder<Model> {
  return {
    value: (schema, read) => ({ schema, read }) as never,
    extra: (schema, read) => ({ schema, read, isExtra: true }) as never,
    ofPreview: (schema, read) => ({ schema, read, isExtra: true, isOfPreview: true }) as never,
    one: (view, read) => ({ schema: view.schema, read, view }) as never,
    whole: (view, read) => ({ schema: view.schema, read, view, isWhole: true }) as never,
    maybe: (view, read) => ({ schema: view.schema.nullable(), read, view }) as never,
    many: (view, fallback, read) => ({ schema: z.array(view.schema), read, view, fallback }) as never,
  }
}

/**
 * `viewOf<User>('User')(field => ({ id: field.value(z.string(), user => user.id) }), { compact: ['id'] })`. The name is
 * that of its schema in the OpenAPI document.
 */
export const viewOf =
  <Model>(schemaName?: string) =>
  <
    Fields extends Record<string, Field<never, unknown>>,
    const Named extends Record<string, Names<NoInfer<Fields>>>,
    const ForAnonymous extends NoInfer<keyof Fields & string> = never,
  >(
    describe: (field: Builder<Model>) => Fields,
    views: Named,
    /** The fields that anonymous clients may see. */
    forAnonymous: readonly ForAnonymous[] = [],
    /** The cache tags of an answer that shows the model. */
    tagsOf?: (model: Model) => readonly string[],
  ): View<Model, ShownBy<Fields>, ViewsOf<Fields, Named, ForAnonymous>> => {
    const fields = describe(builder<Model>())
    // Sorted once here, so that the keys of every response are in alphabetical order.
    const names = Object.keys(fields).toSorted()
    const all: SelectedFields = names.flatMap(name => (fields[name]!.isExtra ? [] : [{ name, sub: undefined }]))
    const withoutLists = all.filter(({ name }) => fields[name]!.fallback === undefined)
    const ofPreview = names.filter(name => fields[name]!.isOfPreview)
    const named = new Map(Object.entries(views).map(([view, list]) => [view, selectFields(list, names)]))

    function compactly(one: SelectedFields[number]): SelectedFields[number] {
      const { view, fallback, isWhole } = fields[one.name]!
      return view && fallback === undefined && !one.sub && !isWhole ? { ...one, sub: { view: 'compact' } } : one
    }

    const shownToAnonymous: ReadonlySet<string> = new Set(forAnonymous)

    function chosenFor(ctx: RequestContext, selection: Selection, fallback: string, any = all): SelectedFields {
      const chosen = chosenBy(selection, fallback, any)
      if (!ctx.actor.isAnonymous) return chosen
      const hidden = chosen.find(({ name }) => !shownToAnonymous.has(name))
      const isNamed = selection.view === undefined && selection.select !== undefined && selection.isOfView !== true
      if (hidden && isNamed && readSelect(selection.select!).length > 0) throw unknownName(hidden.name)
      return chosen.filter(({ name }) => shownToAnonymous.has(name))
    }

    function chosenBy({ view, select, isOfView }: Selection, fallback: string, any: SelectedFields): SelectedFields {
      if (view === 'any') return any
      if (view !== undefined) return named.get(view) ?? named.get('default') ?? all
      const selected = select === undefined ? [] : readSelect(select)
      if (selected.length === 0) return named.get(fallback) ?? all
      const unknown = selected.map(one => (typeof one === 'string' ? one : one[0])).find(name => !names.includes(name))
      if (unknown !== undefined && !isOfView) throw unknownName(unknown)
      return selectFields(selected, names)
    }

    type Shown = Partial<ShownBy<Fields>>

    /** Synchronous unless a field must be loaded: lists show many models. */
    function showChosen(ctx: RequestContext, model: Model, chosen: SelectedFields): Shown | Promise<Shown> {
      if (tagsOf && ctx.tags) addTags(ctx, () => tagsOf(model))
      const shown: Record<string, unknown> = {}
      for (let index = 0; index < chosen.length; index++) {
        const { name } = chosen[index]!
        const field = fields[name]!
        const value = field.read(model as never, ctx)
        if (value instanceof Promise || (field.view && value !== null))
          return showRest(ctx, model, chosen, { shown, index, value })
        shown[name] = value
      }
      return ctx.isPreview ? withPreview(ctx, model, shown) : (shown as Shown)
    }

    /** An error must not leave the models before it without a handler of their own errors. */
    function startShowing(ctx: RequestContext, model: Model, chosen: SelectedFields): Shown | Promise<Shown> {
      try {
        return showChosen(ctx, model, chosen)
      } catch (error) {
        return Promise.reject(error)
      }
    }

    async function showRest(
      ctx: RequestContext,
      model: Model,
      chosen: SelectedFields,
      { shown, index, value: first }: { shown: Record<string, unknown>; index: number; value: unknown },
    ): Promise<Shown> {
      for (let at = index; at < chosen.length; at++) {
        const { name, sub } = chosen[at]!
        const field = fields[name]!
        let value = at === index ? first : field.read(model as never, ctx)
        if (value instanceof Promise) value = await value
        shown[name] = field.view && value !== null ? await showRelated(field, ctx, value, sub) : value
      }
      return ctx.isPreview ? withPreview(ctx, model, shown) : (shown as Shown)
    }

    function withPreview(ctx: RequestContext, model: Model, shown: Record<string, unknown>): Shown {
      for (const name of ofPreview) shown[name] = fields[name]!.read(model as never, ctx)
      return shown as Shown
    }

    const schema = z.object(Object.fromEntries(names.map(name => [name, fields[name]!.schema.optional()])))
    return {
      ...(tagsOf && { tagsOf }),
      schema: (schemaName === undefined ? schema : namedSchema(schemaName, schema)) as never,
      show: async (ctx, model, selection = {}, fallback = 'default') =>
        showChosen(ctx, model, chosenFor(ctx, selection, fallback)),
      async showAll(ctx, models, selection = {}, fallback = 'default') {
        const found = chosenFor(ctx, selection, fallback, withoutLists)
        const chosen = selection.view === 'any' ? found.map(compactly) : found
        const yielder = createYielder()
        const shown: Shown[] = []
        for (let start = 0; start < models.length; start += concurrency) {
          const batch: (Shown | Promise<Shown>)[] = []
          let isLoading = false
          for (const model of models.slice(start, start + concurrency)) {
            const one = startShowing(ctx, model, chosen)
            isLoading ||= one instanceof Promise
            batch.push(one)
          }
          shown.push(...(isLoading ? await Promise.all(batch as Promise<Shown>[]) : (batch as Shown[])))
          if (yielder.isDue()) await yielder.yieldNow()
        }
        return shown
      },
    }
  }

/** Number of models that are shown concurrently. */
const concurrency = 100

async function showRelated(
  field: Field<never, unknown>,
  ctx: RequestContext,
  value: unknown,
  sub: Selection | undefined,
) {
  const { view, fallback } = field
  if (!Array.isArray(value)) return view!.show(ctx, value as never, sub, fallback)
  const left = (remainingModels.get(ctx) ?? maxRelated) - value.length
  remainingModels.set(ctx, left)
  if (left < 0) throw tooManyRelated()
  const shown: unknown[] = []
  for (const batch of chunks(value as never[], concurrency))
    for (const item of await view!.showAll(ctx, batch, sub, fallback)) {
      const leftBytes = (remainingBytes.get(ctx) ?? maxRelatedBytes) - jsonBytes(item)
      remainingBytes.set(ctx, leftBytes)
      if (leftBytes < 0) throw tooLargeRelated(maxRelatedBytes / 1024 / 1024)
      shown.push(item)
    }
  return shown
}

/** The same limit as for a page of a list, in bytes of JSON. These lists have no pages, so exceeding it is an error. */
const maxRelatedBytes = 8 * 1024 * 1024
const remainingBytes = new WeakMap<RequestContext, number>()

/** Maximum number of related models in all lists of a response. More must be requested from an endpoint with paging. */
export const maxRelated = 10_000
const remainingModels = new WeakMap<RequestContext, number>()

export function tooManyRelated() {
  const max = message('validation.related.count', { max: String(maxRelated) })
  return fail('validation').with({ details: { select: { label: 'select', message: { max } } } })
}

function unknownName(name: string) {
  const unknown = message('validation.unknownInside', { name: name.slice(0, 100) })
  return fail('validation').with({ details: { select: { label: 'select', message: { unknown } } } })
}

/** `max` is in MB. */
export function tooLargeRelated(max: number) {
  const size = message('validation.related.size', { max: String(max) })
  return fail('validation').with({ details: { select: { label: 'select', message: { size } } } })
}

type RequestedField = string | readonly [string, Selection | string | string[]]

function selectFields(requested: readonly RequestedField[], names: string[]): SelectedFields {
  const subs = new Map(requested.map(entry => (typeof entry === 'string' ? [entry, undefined] : entry)))
  return names.filter(name => subs.has(name)).map(name => ({ name, sub: selectionOf(subs.get(name)) }))
}

function selectionOf(sub: Selection | string | string[] | undefined): Selection | undefined {
  if (typeof sub === 'string') return { view: sub }
  return Array.isArray(sub) ? { select: sub, isOfView: true } : sub
}

function readSelect(select: Select): (string | [string, Selection])[] {
  if (typeof select === 'string') return splitNames(select)
  if (Array.isArray(select)) return select.flatMap(splitNames)
  return Object.entries(select).map(([name, sub]) => {
    if (sub === 'any')
      throw fail('validation').with({
        details: { select: { label: 'select', message: { view: message('validation.noView', { view: 'any' }) } } },
      })
    if (sub === '') return name // from `select[]` next to `select[name]`
    return [name, typeof sub === 'string' ? { view: sub } : { select: sub }]
  })
}

const splitNames = (text: string) => text.split(',').flatMap(name => name.trim() || [])
