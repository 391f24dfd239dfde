/**
 * The query language of `{{ … }}` in blueprints: `{{ page.title }}`, `site.find('notes').children.count`,
 * `{{ page.author ?? 'Nobody' }}`, `{{ page.isListed ? 'yes' : 'no' }}`. A query can access only the data of its scope:
 * own members of plain objects, lists, and functions wrapped with `callable`. It cannot reach prototypes and other
 * JavaScript members.
 */

export type QueryValue = Simple | Callable | readonly QueryValue[] | { readonly [name: string]: QueryValue }
type Simple = string | number | boolean | null | undefined

/** A function that a query may call. Plain JavaScript functions are never called. */
export class Callable {
  readonly call: (...values: QueryValue[]) => QueryValue | Promise<QueryValue>

  constructor(call: (...values: QueryValue[]) => QueryValue | Promise<QueryValue>) {
    this.call = call
  }
}

/** The function may return a promise: its value is computed only if a query needs it. */
export function callable(call: (...values: QueryValue[]) => QueryValue | Promise<QueryValue>): Callable {
  return new Callable(call)
}

/** The names that a query can start with: `page`, `site`, `t` … */
export type Scope = Readonly<Record<string, QueryValue>>

type Expression =
  | { kind: 'literal'; value: Simple }
  | { kind: 'list'; items: Expression[] }
  | { kind: 'member'; of: Expression | undefined; name: string; call: Expression[] | undefined }
  | { kind: 'or'; left: Expression; right: Expression }
  | { kind: 'choice'; test: Expression; yes: Expression | undefined; no: Expression }

const maxLength = 1000
const maxDepth = 20

// ---- templates

export const placeholder = /\{\{(.{0,1000}?)\}\}|\{<(.{0,1000}?)>\}/gs

/** Limit for the sum of all inserted values, in characters. */
export const maxFilledLength = 10_000

/**
 * Fills in the placeholders of a template. In HTML the result of `{{ … }}` is escaped and that of `{< … >}` is not. A
 * query that fails or has no result becomes an empty string.
 */
export async function fillIn(template: string, scope: Scope, { html = false } = {}): Promise<string> {
  const parts: string[] = []
  let [end, left] = [0, maxFilledLength]
  for (const found of template.matchAll(placeholder)) {
    const [whole, escaped, raw] = found
    const text = queryText(await query(escaped ?? raw ?? '', scope)).slice(0, left)
    left -= text.length
    parts.push(template.slice(end, found.index), html && escaped !== undefined ? escapeHtml(text) : text)
    end = found.index + whole.length
  }
  return parts.join('') + template.slice(end)
}

/** The queries in a template that cannot be parsed. */
export function wrongQueries(template: string): string[] {
  return [...template.matchAll(placeholder)]
    .map(([, escaped, raw]) => (escaped ?? raw ?? '').trim())
    .filter(source => !isQuery(source))
}

/** The names in a query that do not exist in the query language: usually code for another system. */
export function unknownNames(source: string, isKnown: (name: string, isRoot: boolean) => boolean): string[] {
  const found: string[] = []
  const visit = (expression: Expression | undefined): void => {
    if (!expression || expression.kind === 'literal') return
    if (expression.kind === 'list') return expression.items.forEach(visit)
    if (expression.kind === 'or') return [expression.left, expression.right].forEach(visit)
    if (expression.kind === 'choice') return [expression.test, expression.yes, expression.no].forEach(visit)
    visit(expression.of)
    expression.call?.forEach(visit)
    if (!isKnown(expression.name, expression.of === undefined)) found.push(expression.name)
  }
  visit(parse(source))
  return [...new Set(found)]
}

/** Methods that every value, string or list has. */
export const methodNames: readonly string[] = [
  'isEmpty', 'isNotEmpty', 'or', 'value', 'length', 'lower', 'upper', 'short', 'count', 'first', 'last', 'limit',
] // prettier-ignore

export function isQuery(source: string): boolean {
  return parse(source) !== undefined
}

const texts = new WeakMap<object, string>()

/** Attaches a text to an object: a template shows this text in place of the object. */
export function withText<Parts extends { readonly [name: string]: QueryValue }>(value: Parts, text: string): Parts {
  texts.set(value, text)
  return value
}

/** The text that a template shows for a value. */
export function queryText(value: QueryValue): string {
  if (typeof value === 'object' && value !== null && texts.has(value)) return texts.get(value)!
  if (Array.isArray(value)) return value.map(queryText).filter(Boolean).join(', ')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, sign => entities[sign]!)

// ---- evaluation

/** The result of a query; undefined if it cannot be parsed or if a part of it fails. */
export async function query(source: string, scope: Scope): Promise<QueryValue> {
  const expression = parse(source)
  if (!expression) return undefined
  try {
    return await evaluate(expression, scope)
  } catch {
    return undefined
  }
}

async function evaluate(expression: Expression, scope: Scope): Promise<QueryValue> {
  const { kind } = expression
  if (kind === 'literal') return expression.value
  if (kind === 'list') return evaluateAll(expression.items, scope)
  if (kind === 'or') return (await evaluate(expression.left, scope)) ?? evaluate(expression.right, scope)
  if (kind === 'choice') {
    const test = await evaluate(expression.test, scope)
    if (!isTrue(test)) return evaluate(expression.no, scope)
    return expression.yes ? evaluate(expression.yes, scope) : test
  }
  const { of, name, call } = expression
  const owner = of ? await evaluate(of, scope) : scope
  const values = call ? await evaluateAll(call, scope) : []
  const found = member(owner, name)
  if (found instanceof Callable) return data(await found.call(...values))
  return found ?? data(method(owner, name, values))
}

async function evaluateAll(expressions: readonly Expression[], scope: Scope): Promise<QueryValue[]> {
  const values: QueryValue[] = []
  for (const expression of expressions) values.push(await evaluate(expression, scope))
  return values
}

const isTrue = (value: QueryValue) =>
  Boolean(value) && value !== 'false' && !(Array.isArray(value) && value.length === 0)

const forbidden = new Set(['__proto__', 'constructor', 'prototype'])

/** Reads an own member of plain data, never one that JavaScript inherits from a prototype. */
function member(owner: QueryValue, name: string): QueryValue {
  if (typeof owner !== 'object' || owner === null || owner instanceof Callable || forbidden.has(name)) return undefined
  if (Array.isArray(owner)) return /^\d+$/.test(name) ? data((owner as readonly QueryValue[])[Number(name)]) : undefined
  const prototype: unknown = Object.getPrototypeOf(owner)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const found = Object.getOwnPropertyDescriptor(owner, name)
  return found && 'value' in found ? data(found.value as QueryValue) : undefined
}

/** Rejects functions, symbols and thenables: `await` would call the `then` of a thenable. */
function data(value: QueryValue): QueryValue {
  const isData = typeof value !== 'function' && typeof value !== 'symbol'
  return isData && typeof (value as { then?: unknown } | null | undefined)?.then !== 'function' ? value : undefined
}

/** The methods that every value has. */
function method(owner: QueryValue, name: string, [first]: readonly QueryValue[]): QueryValue {
  const isEmpty = owner === undefined || owner === null || owner === '' || (Array.isArray(owner) && owner.length === 0)
  switch (name) {
    case 'isEmpty':
      return isEmpty
    case 'isNotEmpty':
      return !isEmpty
    case 'or':
      return isEmpty ? first : owner
    case 'value':
      return owner
  }
  if (typeof owner === 'string') return textMethod(owner, name, first)
  return Array.isArray(owner) ? listMethod(owner as readonly QueryValue[], name, first) : undefined
}

function textMethod(text: string, name: string, first: QueryValue): QueryValue {
  switch (name) {
    case 'length':
      return text.length
    case 'lower':
      return text.toLowerCase()
    case 'upper':
      return text.toUpperCase()
    case 'short':
      return typeof first === 'number' && text.length > first ? `${text.slice(0, Math.max(0, first)).trimEnd()}…` : text
    default:
      return undefined
  }
}

function listMethod(list: readonly QueryValue[], name: string, first: QueryValue): QueryValue {
  switch (name) {
    case 'count':
      return list.length
    case 'first':
      return list[0]
    case 'last':
      return list.at(-1)
    case 'limit':
      return typeof first === 'number' ? list.slice(0, Math.max(0, first)) : list
    default:
      return undefined
  }
}

// ---- parser

const token =
  /\s*(?:(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<number>-?\d+(?:\.\d+)?)|(?<name>[\p{L}_][\p{L}\d_-]*)|(?<sign>\?\?|\?\.|\?:|[?:.,()[\]]))/suy

interface Token {
  kind: 'text' | 'number' | 'name' | 'sign'
  text: string
}

function tokens(source: string): Token[] | undefined {
  const found: Token[] = []
  const end = source.trimEnd().length
  const reader = new RegExp(token)
  while (reader.lastIndex < end) {
    const groups = reader.exec(source)?.groups
    if (!groups) return undefined
    const [kind, text] = Object.entries(groups).find(([, part]) => part !== undefined) as [Token['kind'], string]
    found.push({ kind, text })
  }
  return found
}

class QuerySyntaxError extends Error {}

function parse(source: string): Expression | undefined {
  const list = source.length > maxLength ? undefined : tokens(source)
  if (!list || list.length === 0) return undefined
  let [position, depth] = [0, 0]

  const peek = (sign: string) => list[position]?.kind === 'sign' && list[position]?.text === sign
  function skip(sign: string): boolean {
    const isThere = peek(sign)
    if (isThere) position++
    return isThere
  }
  function expect(sign: string): void {
    if (!skip(sign)) throw new QuerySyntaxError()
  }

  function choice(): Expression {
    if (++depth > maxDepth) throw new QuerySyntaxError()
    let left = alternatives()
    if (skip('?:')) left = { kind: 'choice', test: left, yes: undefined, no: choice() }
    else if (skip('?')) {
      const yes = choice()
      expect(':')
      left = { kind: 'choice', test: left, yes, no: choice() }
    }
    depth--
    return left
  }

  function alternatives(): Expression {
    let left = chain()
    while (skip('??')) left = { kind: 'or', left, right: chain() }
    return left
  }

  function chain(): Expression {
    let left = start()
    while (skip('.') || skip('?.')) left = memberOf(left, list![position++])
    return left
  }

  function start(): Expression {
    const next = list![position++]
    if (next?.kind === 'text') return { kind: 'literal', value: next.text.slice(1, -1).replaceAll(/\\(.)/gs, '$1') }
    if (next?.kind === 'number') return { kind: 'literal', value: Number(next.text) }
    if (next?.kind === 'name') return literals.get(next.text) ?? memberOf(undefined, next)
    if (next?.text === '[') return { kind: 'list', items: items(']') }
    if (next?.text !== '(') throw new QuerySyntaxError()
    const inner = choice()
    expect(')')
    return inner
  }

  function memberOf(of: Expression | undefined, next: Token | undefined): Expression {
    const isName = next?.kind === 'name' || (of && next?.kind === 'number' && /^\d+$/.test(next.text))
    if (!next || !isName) throw new QuerySyntaxError()
    return { kind: 'member', of, name: next.text, call: skip('(') ? items(')') : undefined }
  }

  function items(end: string): Expression[] {
    const found: Expression[] = []
    while (!skip(end)) {
      if (found.length > 0) expect(',')
      found.push(choice())
    }
    return found
  }

  try {
    const expression = choice()
    return position === list.length ? expression : undefined
  } catch {
    return undefined
  }
}

const literals: ReadonlyMap<string, Expression> = new Map([
  ['true', { kind: 'literal', value: true }],
  ['false', { kind: 'literal', value: false }],
  ['null', { kind: 'literal', value: null }],
])
