import { hash, randomUUID } from 'node:crypto'
import { type Message, message } from '../../texts.ts'
import type { Fieldset, FindType, Inside, Stored } from './field.ts'
import { createNested, type Problem, within } from './nested.ts'
import { isList, isMap, isTooDeep, toStored } from './stored.ts'

/** What blocks and layout have in common. */

export interface Block {
  readonly content: Readonly<Record<string, unknown>>
  readonly id: string
  readonly isHidden: boolean
  readonly type: string
}

type Values = Readonly<Record<string, unknown>>
type Fieldsets = ReadonlyMap<string, Fieldset>

/** What was stored before, by the ids of the blocks. */
type Kept = ReadonlyMap<string, Block>

export interface BlockList {
  read(stored: readonly unknown[], fieldsets: Fieldsets): readonly Block[]
  write(sent: readonly unknown[], fieldsets: Fieldsets, kept: Kept): { stored: readonly Stored[] } | { wrong: Message }
  firstWrong(blocks: readonly Block[], fieldsets: Fieldsets): Message | undefined
  inside(blocks: readonly Block[], fieldsets: Fieldsets): Generator<Inside>
  /** Only what the fieldset has fields for. */
  readValues(stored: unknown, fieldset: Fieldset): Values
  writeValues(sent: Values, fieldset: Fieldset, before: unknown): { stored: Stored } | { wrong: Problem }
  firstWrongValue(values: Values, fieldset: Fieldset): Problem | undefined
  insideValues(values: Values, fieldset: Fieldset): Generator<Inside>
}

export function createBlockList(findType: FindType): BlockList {
  const nested = createNested(findType)

  function readValues(stored: unknown, fieldset: Fieldset): Values {
    return only(nested.read(fieldset.fields, isMap(stored) ? (stored as Record<string, Stored>) : {}), fieldset)
  }

  function writeValues(sent: Values, fieldset: Fieldset, before: unknown) {
    return nested.write(fieldset.fields, only(sent, fieldset), before)
  }

  function writeBlock(
    block: unknown,
    fieldsets: Fieldsets,
    kept: Kept,
    number: string,
  ): { stored: Stored } | { wrong: Message } {
    const parts = sentBlock(block)
    if (!parts) return { wrong: message('validation.block', { block: number, problem: message('validation.invalid') }) }
    const { content, id, isHidden, type } = parts
    const fieldset = fieldsets.get(type)
    const before = kept.get(id)
    const values = before?.type === type ? before.content : undefined
    const written = fieldset ? writeValues(content, fieldset, values) : { stored: toStored(content) }
    if ('wrong' in written) return { wrong: message('validation.blocks', { block: number, ...written.wrong }) }
    if (written.stored === undefined)
      return { wrong: message('validation.block', { block: number, problem: message('validation.tooLarge') }) }
    return { stored: { content: written.stored, id: id || randomUUID(), isHidden, type } }
  }

  return {
    read: (stored, fieldsets) =>
      stored.flatMap((block, index) => {
        const parts = storedBlock(block)
        if (!parts) return []
        const { content, id, isHidden, type } = parts
        const fieldset = fieldsets.get(type)
        return {
          content: fieldset ? readValues(content, fieldset) : content,
          id: id || idFor(block, index),
          isHidden,
          type,
        }
      }),

    write(sent, fieldsets, kept) {
      const stored: Stored[] = []
      for (const [index, block] of sent.entries()) {
        const written = writeBlock(block, fieldsets, kept, String(index + 1))
        if ('wrong' in written) return written
        stored.push(written.stored)
      }
      return { stored }
    },

    firstWrong(blocks, fieldsets) {
      const wrongs = [...Map.groupBy(blocks.entries(), ([, { type }]) => type)].flatMap(([type, entries]) => {
        const fields = fieldsets.get(type)?.fields
        const contents = entries.map(([, { content }]) => content)
        const [index, wrong] = (fields && nested.firstWrongOf(fields, contents)) ?? []
        return wrong ? { at: entries[index!]![0], wrong } : []
      })
      const first = wrongs.toSorted((one, other) => one.at - other.at)[0]
      return first && message('validation.blocks', { block: String(first.at + 1), ...first.wrong })
    },

    *inside(blocks, fieldsets) {
      for (const [index, { type, content }] of blocks.entries()) {
        const fieldset = fieldsets.get(type)
        if (fieldset) yield* within(nested.inside(fieldset.fields, content), index, 'content')
      }
    },

    readValues,
    writeValues,
    firstWrongValue: (values, fieldset) => nested.firstWrong(fieldset.fields, values),
    insideValues: (values, fieldset) => nested.inside(fieldset.fields, values),
  }
}

export function keptById(stored: readonly unknown[]): Kept {
  const blocks = stored.map(storedBlock).filter(block => block !== undefined && block.id !== '')
  return new Map(blocks.map(block => [block!.id, block!]))
}

/** Undefined for what is no block. Of those that are stored, some parts may be missing or wrong. */
function storedBlock(block: unknown): Block | undefined {
  if (!isMap(block) || typeof block['type'] !== 'string' || block['type'] === '') return undefined
  const { content, id, isHidden, type } = block
  return {
    content: isMap(content) ? content : {},
    id: typeof id === 'string' ? id : '',
    isHidden: isHidden === true,
    type,
  }
}

function sentBlock(block: unknown): Block | undefined {
  const { content = {}, id = '', isHidden = false } = isMap(block) ? block : {}
  const isEmpty = isList(content) && content.length === 0 // a map, to a program in PHP
  const isRight = (isMap(content) || isEmpty) && typeof id === 'string' && typeof isHidden === 'boolean'
  return isRight ? storedBlock(block) : undefined
}

function only(values: Values, { fields, broken }: Fieldset): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => fields.has(name.toLowerCase()) || broken.has(name.toLowerCase())),
  )
}

/** The list in a JSON text, or as it is; undefined for what is none. */
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

/** The id of something that was stored without one: the same whenever it is read. */
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
