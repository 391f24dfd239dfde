import { hash, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Message, message } from '../../platform/texts.ts'
import { spendParts } from './budget.ts'
import type { Fieldset, NestedError, StoredValue } from './field.ts'
import { type RowState, withHidden } from './merge.ts'
import { nested, type Problem, prefixPaths } from './nested.ts'
import { isList, isMap, isTooDeep } from './stored.ts'

/** Shared by the field types blocks and layout. */

export interface Block {
  readonly content: Readonly<Record<string, unknown>>
  readonly id: string
  readonly isHidden: boolean
  readonly type: string
}

type Values = Readonly<Record<string, unknown>>
type Fieldsets = ReadonlyMap<string, Fieldset>

/** A block as it was stored (`raw`), and as it is shown. */
interface StoredBlock extends Block {
  readonly raw: Values
}

/** The stored blocks by the ids that are shown. Each stored block matches at most one sent block. */
export type StoredBlocks = ReadonlyMap<string, StoredBlock[]>

interface BlockList {
  read(stored: readonly unknown[], fieldsets: Fieldsets): readonly Block[]
  /**
   * In steps. `before` is the stored list, including entries that are not blocks; `previous` has all stored blocks that the sent list
   * may contain, also those of other lists.
   */
  write(
    sent: readonly unknown[],
    fieldsets: Fieldsets,
    before: readonly unknown[],
    previous: StoredBlocks,
  ): Generator<void, { stored: readonly StoredValue[] } | { error: Message }>
  firstError(blocks: readonly Block[], fieldsets: Fieldsets): Message | undefined
  nestedErrors(blocks: readonly Block[], fieldsets: Fieldsets): Generator<NestedError>
  /** Only values that the fieldset has fields for. */
  readValues(stored: unknown, fieldset: Fieldset): Values
  /** Keeps stored values that the fieldset has no fields for: the caller was not shown them. */
  writeValues(sent: Values, fieldset: Fieldset, before: unknown): { stored: StoredValue } | { error: Problem }
  firstErrorOfValues(values: Values, fieldset: Fieldset): Problem | undefined
  nestedErrorsOfValues(values: Values, fieldset: Fieldset): Generator<NestedError>
}

export const blockList: BlockList = {
  read: (stored, fieldsets) =>
    stored.flatMap((block, index) => {
      const parts = storedBlock(block, index)
      if (!parts) return []
      const { content, id, isHidden, type } = parts
      const fieldset = fieldsets.get(type)
      return { content: fieldset ? readValues(content, fieldset) : content, id, isHidden, type }
    }),

  *write(sent, fieldsets, before, previous) {
    if (sent.length > before.length && !spendParts(partsOf(sent, fieldsets)))
      return { error: message('validation.tooManyParts') }
    const stored: StoredValue[] = []
    const states = new Map<unknown, number>()
    for (const [index, block] of sent.entries()) {
      if (index % blocksPerStep === 0) yield
      const take = (id: string) => {
        const found = previous.get(id)?.shift()
        if (found) states.set(found.raw, index)
        return found
      }
      const written = writeBlock(block, fieldsets, take, String(index + 1))
      if ('error' in written) return written
      stored.push(written.stored)
    }
    const stateOf = (index: number): RowState =>
      states.get(before[index]) ?? (storedBlock(before[index], index) ? 'removed' : 'hidden')
    return { stored: withHidden(before as readonly StoredValue[], stateOf, stored) }
  },

  firstError(blocks, fieldsets) {
    const errors = [...Map.groupBy(blocks.entries(), ([, { type }]) => type)].flatMap(([type, entries]) => {
      const fields = fieldsets.get(type)?.fields
      const contents = entries.map(([, { content }]) => content)
      const [index, error] = (fields && nested.firstErrorInRows(fields, contents)) ?? []
      return error ? { at: entries[index!]![0], error } : []
    })
    const first = errors.toSorted((one, other) => one.at - other.at)[0]
    return first && message('validation.blocks', { block: String(first.at + 1), ...first.error })
  },

  *nestedErrors(blocks, fieldsets) {
    for (const [index, { type, content }] of blocks.entries()) {
      const fieldset = fieldsets.get(type)
      if (fieldset) yield* prefixPaths(nested.nestedErrors(fieldset.fields, content), index, 'content')
    }
  },

  readValues,
  writeValues,
  firstErrorOfValues: (values, fieldset) => nested.firstError(fieldset.fields, values),
  nestedErrorsOfValues: (values, fieldset) => nested.nestedErrors(fieldset.fields, values),
}

function readValues(stored: unknown, fieldset: Fieldset): Values {
  return only(nested.read(fieldset.fields, isMap(stored) ? (stored as Record<string, StoredValue>) : {}), name =>
    isShown(fieldset, name),
  )
}

function writeValues(sent: Values, fieldset: Fieldset, before: unknown) {
  const hasField = (name: string) => fieldset.fields.has(name.toLowerCase())
  const written = nested.write(fieldset.fields, only(sent, hasField), before)
  if ('error' in written || !isMap(before)) return written
  return { stored: { ...(only(before, name => !hasField(name)) as Record<string, StoredValue>), ...written.stored } }
}

function writeBlock(
  block: unknown,
  fieldsets: Fieldsets,
  take: (id: string) => StoredBlock | undefined,
  number: string,
): { stored: StoredValue } | { error: Message } {
  const refusal = (problem: Message) => ({ error: message('validation.block', { block: number, problem }) })
  const parts = sentBlock(block)
  if (!parts) return refusal(message('validation.invalid'))
  const { content, id, isHidden, type } = parts
  const found = take(id)
  if (!found && !isId(id)) return refusal(message('validation.invalid'))
  const before = found?.type === type ? found : undefined
  const fieldset = fieldsets.get(type)
  if (!fieldset) {
    // A stored block of a type that the field no longer has may stay unchanged; a new one is refused.
    if (before && isDeepStrictEqual(content, before.content))
      return { stored: asBefore(before, content as StoredValue, isHidden) }
    return refusal(message('validation.block.kind', { kind: type.slice(0, 100) }))
  }
  const written = writeValues(content, fieldset, before?.content)
  if ('error' in written) return { error: message('validation.blocks', { block: number, ...written.error }) }
  if (before) return { stored: asBefore(before, written.stored, isHidden) }
  return { stored: { content: written.stored, id: id || randomUUID(), isHidden, type } }
}

const blocksPerStep = 100

/** A block counts as its four properties and its fields. */
function partsOf(blocks: readonly unknown[], fieldsets: Fieldsets): number {
  let count = 4 * blocks.length
  for (const block of blocks) count += (isMap(block) && fieldsets.get(block['type'] as string)?.fields.size) || 0
  return count
}

/** All blocks of these lists by id. */
export function storedBlocksById(...lists: (readonly unknown[])[]): StoredBlocks {
  const previous = lists.flatMap(stored =>
    stored.flatMap((raw, index) => {
      const block = storedBlock(raw, index)
      return block ? { ...block, raw: raw as Values } : []
    }),
  )
  return Map.groupBy(previous, ({ id }) => id)
}

/**
 * The stored form if nothing was changed. Otherwise the written parts replace the stored ones, and parts that are not
 * shown stay.
 */
function asBefore(
  { raw, id, isHidden: wasHidden, type, content }: StoredBlock,
  written: StoredValue,
  isHidden: boolean,
): StoredValue {
  const isSame = isHidden === wasHidden && isDeepStrictEqual(written, content)
  return (isSame ? raw : { ...raw, content: written, id, isHidden, type }) as StoredValue
}

/** Ids come from us or from the client, and are used in URLs and HTML attributes. */
export const isId = (id: string): boolean => /^[\w-]{0,64}$/.test(id)

/** Undefined if it is not a block. Stored blocks may lack some parts or have invalid ones. */
function storedBlock(block: unknown, index: number): Block | undefined {
  if (!isMap(block) || typeof block['type'] !== 'string' || block['type'] === '') return undefined
  const { content = {}, id, isHidden, type } = block
  const isEmpty = content === null || (isList(content) && content.length === 0) // PHP encodes an empty map as `[]`
  if (!isMap(content) && !isEmpty) return undefined
  return {
    content: isMap(content) ? content : {},
    id: typeof id === 'string' && id !== '' ? id : idFor(block, index),
    isHidden: isHidden === true,
    type,
  }
}

function sentBlock(block: unknown): Block | undefined {
  if (!isMap(block) || typeof block['type'] !== 'string' || block['type'] === '') return undefined
  const { content = {}, id = '', isHidden = false, type } = block
  const isEmpty = isList(content) && content.length === 0
  if (!(isMap(content) || isEmpty) || typeof id !== 'string' || typeof isHidden !== 'boolean') return undefined
  return { content: isMap(content) ? content : {}, id, isHidden, type }
}

const isShown = ({ fields, broken }: Fieldset, name: string) =>
  fields.has(name.toLowerCase()) || broken.has(name.toLowerCase())

const only = (values: Values, isIn: (name: string) => boolean): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => isIn(name)))

/** Parses a list from JSON, or returns it as it is; undefined if it is not a list. */
export function listIn(stored: unknown): readonly unknown[] | undefined {
  const value = typeof stored === 'string' ? parse(stored) : stored
  return isList(value) ? value : undefined
}

function parse(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

/** The id of a block or row that was stored without one. It is a hash, so it is the same whenever it is read. */
export function idFor(stored: unknown, index: number): string {
  const digits = hash('sha256', `${index} ${JSON.stringify(stored)}`)
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4]
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `8${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
