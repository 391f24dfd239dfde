import {
  type BlockValue,
  blocksIn,
  type Fieldset,
  type Fieldsets,
  fieldsetIn,
  fieldsetsIn,
} from '../fields/blocks/block-value.ts'
import {
  type FieldDefinition,
  type FieldDefinitions,
  fieldsIn,
  isMap,
  listIn,
  optionsIn,
  textIn,
  type Values,
  primitiveText,
} from '../fields/field.ts'
import { rowsIn } from '../fields/layout/layout-value.ts'
import { entriesIn } from '../fields/picker/entries.ts'
import type { PickerEntry, PickerType } from '../fields/picker/sources.ts'
import { tableIn } from '../fields/table/table-value.ts'
import { formatDate, t } from '../texts/texts.ts'
import { align } from './align.ts'
import { equal } from './equal.ts'
import { isRich, type RichWord, richWords, wordsIn } from './rich-words.ts'
import { canonicalJson, matchRows } from './rows.ts'

type DifferenceKind = 'same' | 'gone' | 'new'

/** Adjacent words with the same marks. */
export interface TextPiece {
  kind: DifferenceKind
  text: string
  marks: readonly string[]
}

/** A difference between two values of a field, to be displayed. There is at least one if the values are not equal. */
export type Change =
  | { type: 'text'; label: string; pieces: TextPiece[] }
  | { type: 'entries'; label: string; of: PickerType; entries: { kind: DifferenceKind; entry: PickerEntry }[] }
  /** A block or a row. `changes` has its differences, or its whole content if it is new or gone. */
  | { type: 'group'; label: string; kind: 'new' | 'gone' | 'changed' | 'moved'; changes: Change[] }

/** The changes that turn `before` into `after`. */
export function compare(field: FieldDefinition | undefined, before: unknown, after: unknown, label = ''): Change[] {
  if (equal(before, after)) return []
  const changes = compareKnown(field, before, after, label)
  if (changes.some(isSeen)) return changes
  // The values differ only in ways that are not displayed, such as in markup: compare the source instead.
  return [{ type: 'text', label, pieces: compareWords(sourceWords(before), sourceWords(after)) }]
}

const isSeen = (change: Change): boolean =>
  change.type === 'text'
    ? change.pieces.some(({ kind }) => kind !== 'same')
    : change.type === 'entries'
      ? change.entries.some(({ kind }) => kind !== 'same')
      : change.kind !== 'changed' || change.changes.some(isSeen)

const isPicker = (type: string): type is PickerType => ['files', 'pages', 'users'].includes(type)

function compareKnown(field: FieldDefinition | undefined, before: unknown, after: unknown, label: string): Change[] {
  const both = [before, after].filter(value => !isEmpty(value))
  const all = (is: (value: unknown) => boolean) => both.every(is)
  const type = field?.type ?? ''
  if (isPicker(type) && all(Array.isArray)) return [compareEntries(type, before, after, label)]
  if (type === 'layout' && all(isListOf(isMap))) return grouped(label, compareLayout(field!, before, after))
  if ((type === 'blocks' || type === '') && all(isListOf(isBlock)))
    return grouped(label, compareBlocks(fieldsetsIn(field?.['fieldsets']), blocksIn(before), blocksIn(after)))
  if (type === 'structure' && all(isListOf(isMap)))
    return grouped(label, compareRows(fieldsIn(field!['fields']), rowValues(before), rowValues(after)))
  if ((type === 'object' || type === '') && all(isMap))
    return grouped(label, compareFields(fieldsIn(field?.['fields']), mapIn(before), mapIn(after)))
  if (type === '' && all(isListOf(isMap))) return grouped(label, compareRows({}, rowValues(before), rowValues(after)))
  const words = (value: unknown) => wordsOfValue(field, value)
  return [{ type: 'text', label, pieces: compareWords(words(before), words(after)) }]
}

const isEmpty = (value: unknown) => value === null || value === undefined || value === ''
const isListOf = (is: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(is)
const isBlock = (value: unknown) =>
  isMap(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string' && isMap(value['content'])
const mapIn = (value: unknown): Values => (isMap(value) ? value : {})
const rowValues = (value: unknown) => listIn(value).filter(isMap)

/** Only a nested field gets a label; the top-level field is labelled by the caller. */
const grouped = (label: string, changes: Change[]): Change[] =>
  label === '' || changes.length === 0 ? changes : [{ type: 'group', label, kind: 'changed', changes }]

// ---- words

function wordsOfValue(field: FieldDefinition | undefined, value: unknown): RichWord[] {
  if (isEmpty(value)) return []
  const type = field?.type ?? ''
  if (typeof value === 'string' && (type === 'writer' || type === 'list' || (type === '' && isRich(value))))
    return richWords(value)
  if (type === 'table') return richWords(tableIn(value).rows.map(row => `<p>${row.join(' | ')}</p>`).join('')) // prettier-ignore
  return plainWords(textOfValue(field, value))
}

function textOfValue(field: FieldDefinition | undefined, value: unknown): string {
  if (typeof value === 'boolean')
    return textIn(listIn(field?.['text'])[value ? 1 : 0]) ?? t(value ? 'editor.yes' : 'editor.no')
  if (Array.isArray(value) && value.every(item => primitiveText(item) !== ''))
    return value.map(item => optionOf(field, primitiveText(item))).join('\n')
  if (field?.type === 'date') return dateOf(primitiveText(value))
  return optionOf(field, primitiveText(value)) || canonicalJson(value)
}

function dateOf(value: string): string {
  const date = new Date(value.replace(' ', 'T'))
  if (Number.isNaN(date.getTime())) return value
  const isWhole = !/[T ]\d\d:\d\d/.test(value)
  return formatDate(date, isWhole ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' })
}

const optionOf = (field: FieldDefinition | undefined, value: string) =>
  (field && optionsIn(field).find(option => option.value === value)?.text) || value

const plainWords = (text: string): RichWord[] => wordsIn(text).map(word => ({ text: word, marks: [] }))

const sourceWords = (value: unknown) => plainWords(typeof value === 'string' ? value : canonicalJson(value ?? null))

const wordKey = ({ text, marks }: RichWord) => `${text}\n${marks.join('\n')}`

/** Compares word by word. A word with other marks, or with another link target, counts as another word. */
export function compareWords(before: readonly RichWord[], after: readonly RichWord[]): TextPiece[] {
  const pieces: TextPiece[] = []
  const put = (kind: DifferenceKind, words: readonly RichWord[]) => {
    for (const { text, marks } of words) {
      const last = pieces.at(-1)
      if (last?.kind === kind && last.marks.join('\n') === marks.join('\n')) last.text += text
      else pieces.push({ kind, text, marks })
    }
  }
  let [i, j] = [0, 0]
  const end: [number, number] = [before.length, after.length]
  for (const [oldIndex, newIndex] of withoutShortMatches(
    [...align(before.map(wordKey), after.map(wordKey)), end],
    before,
  )) {
    put('gone', before.slice(i, oldIndex))
    put('new', after.slice(j, newIndex))
    put('same', before.slice(oldIndex, oldIndex + 1))
    ;[i, j] = [oldIndex + 1, newIndex + 1]
  }
  return pieces
}

const isReplaced = (from: readonly [number, number], to: readonly [number, number]) =>
  from[0] + 1 < to[0] && from[1] + 1 < to[1]

/**
 * Drops matches that are only spaces or punctuation between two replaced words, so that a replaced phrase is shown as a
 * whole.
 */
function withoutShortMatches(pairs: readonly [number, number][], before: readonly RichWord[]): [number, number][] {
  const runs: [number, number][][] = []
  for (const pair of pairs) {
    const last = runs.at(-1)?.at(-1)
    if (last && last[0] + 1 === pair[0] && last[1] + 1 === pair[1]) runs.at(-1)!.push(pair)
    else runs.push([pair])
  }
  return runs.flatMap((run, index) => {
    const [last, next] = [runs[index - 1]?.at(-1) ?? [-1, -1], runs[index + 1]?.[0]]
    const isBetween =
      next !== undefined && isReplaced(last as [number, number], run[0]!) && isReplaced(run.at(-1)!, next)
    return isBetween && run.every(([was]) => !/[\p{L}\p{N}\n]/u.test(before[was]?.text ?? 'a')) ? [] : run
  })
}

// ---- references

const entryKey = ({ uuid, id }: PickerEntry) => uuid ?? id

function compareEntries(of: PickerType, before: unknown, after: unknown, label: string): Change {
  const [old, now] = [entriesIn(before), entriesIn(after)]
  const entries: { kind: DifferenceKind; entry: PickerEntry }[] = []
  let [i, j] = [0, 0]
  for (const [oldIndex, newIndex] of [
    ...align(old.map(entryKey), now.map(entryKey)),
    [old.length, now.length] as const,
  ]) {
    entries.push(...old.slice(i, oldIndex).map(entry => ({ kind: 'gone' as const, entry })))
    entries.push(...now.slice(j, newIndex).map(entry => ({ kind: 'new' as const, entry })))
    if (oldIndex < old.length) entries.push({ kind: 'same', entry: now[newIndex]! })
    ;[i, j] = [oldIndex + 1, newIndex + 1]
  }
  return { type: 'entries', label, of, entries }
}

// ---- fields inside of fields

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
const labelOf = (fields: FieldDefinitions, name: string) => textIn(fields[name]?.label) ?? capital(name)

/** In the order of the form; fields that the form does not have come last. */
function compareFields(fields: FieldDefinitions, before: Values, after: Values): Change[] {
  const names = new Set([...Object.keys(fields), ...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap(name => compare(fields[name], before[name] ?? '', after[name] ?? '', labelOf(fields, name)))
}

interface KeyedItem<Value> {
  key: string
  value: Value
  label: string
}

/** Compares two lists of items with keys: which items are new, gone, changed or moved. */
function compareItems<Value>(
  before: readonly KeyedItem<Value>[],
  after: readonly KeyedItem<Value>[],
  compareValues: (before: Value | undefined, after: Value | undefined) => Change[],
): Change[] {
  const itemsBefore = new Map(before.map(item => [item.key, item]))
  const stay = new Set(after.map(({ key }) => key))
  const common = (items: readonly KeyedItem<Value>[], others: ReadonlyMap<string, unknown> | ReadonlySet<string>) =>
    items.map(({ key }) => key).filter(key => others.has(key))
  const [old, now] = [common(before, stay), common(after, itemsBefore)]
  const inPlace = new Set(align(old, now).map(([index]) => old[index]))
  const gone = (from: number) => {
    const changes: Change[] = []
    for (const item of before.slice(from)) {
      if (stay.has(item.key)) break
      changes.push({ type: 'group', label: item.label, kind: 'gone', changes: compareValues(item.value, undefined) })
    }
    return changes
  }
  return [
    ...gone(0),
    ...after.flatMap((item): Change[] => {
      const itemBefore = itemsBefore.get(item.key)
      if (!itemBefore)
        return [{ type: 'group', label: item.label, kind: 'new', changes: compareValues(undefined, item.value) }]
      const changes = equal(itemBefore.value, item.value) ? [] : compareValues(itemBefore.value, item.value)
      const isMoved = !inPlace.has(item.key)
      const own: Change[] =
        changes.length > 0 || isMoved
          ? [{ type: 'group', label: item.label, kind: isMoved ? 'moved' : 'changed', changes }]
          : []
      return [...own, ...gone(before.indexOf(itemBefore) + 1)]
    }),
  ]
}

const rowLabel = (index: number) => t('editor.diff.row', { number: index + 1 })

function compareRows(fields: FieldDefinitions, before: readonly Values[], after: readonly Values[]): Change[] {
  const oldIndexes = matchRows(before, after)
  return compareItems(
    before.map((value, index) => ({ key: `row-${index}`, value, label: rowLabel(index) })),
    after.map((value, index) => ({
      key: oldIndexes[index] === undefined ? `new-${index}` : `row-${oldIndexes[index]}`,
      value,
      label: rowLabel(index),
    })),
    (rowBefore = {}, rowAfter = {}) => compareFields(fields, rowBefore, rowAfter),
  )
}

const isHidden = (block: BlockValue) => block.isHidden

const filledIn = (content: Values = {}) =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== false))

/** Standard properties of a block. A block that was saved through the API can have more; they are compared, too. */
const compared = new Set(['id', 'type', 'content', 'isHidden'])
const restOf = (block: BlockValue) => Object.fromEntries(Object.entries(block).filter(([name]) => !compared.has(name)))

function compareBlocks(sets: Fieldsets, before: readonly BlockValue[], after: readonly BlockValue[]): Change[] {
  const items = (blocks: readonly BlockValue[]) =>
    blocks.map((value, index) => ({
      // A block with another type counts as another block, even with the same id.
      key: `${value.id} ${value.type} ${blocks.findIndex(({ id }) => id === value.id) === index ? '' : index}`,
      value,
      label: blockLabel(sets.get(value.type), value.type),
    }))
  return compareItems(items(before), items(after), (blockBefore, blockAfter) => {
    const fields = sets.get((blockAfter ?? blockBefore)!.type)?.fields ?? {}
    const isChanged = blockBefore && blockAfter && isHidden(blockBefore) !== isHidden(blockAfter)
    return [
      // Of a block that is new or gone, only fields with a value are shown.
      ...(blockBefore && blockAfter
        ? compareFields(fields, blockBefore.content, blockAfter.content)
        : compareFields(fields, filledIn(blockBefore?.content), filledIn(blockAfter?.content))),
      ...(isChanged ? [switched(t('editor.diff.hidden'), isHidden(blockBefore), isHidden(blockAfter))] : []),
      ...(blockBefore && blockAfter && !isChanged && !equal(restOf(blockBefore), restOf(blockAfter))
        ? compare(undefined, restOf(blockBefore), restOf(blockAfter))
        : []),
    ]
  })
}

export const blockLabel = (set: Fieldset | undefined, type: string) => set?.name ?? capital(type)

const switched = (label: string, before: boolean, after: boolean): Change => ({
  type: 'text',
  label,
  pieces: compareWords(wordsOfValue(undefined, before), wordsOfValue(undefined, after)),
})

const layoutRows = (value: unknown) =>
  rowsIn(value).map((row, index) => ({ key: row.id, value: row, label: rowLabel(index) }))

function compareLayout(field: FieldDefinition, before: unknown, after: unknown): Change[] {
  const sets = fieldsetsIn(field['fieldsets'])
  const settings = isMap(field['settings']) ? fieldsetIn(field['settings'], 'settings').fields : {}
  return compareItems(layoutRows(before), layoutRows(after), (rowBefore, rowAfter) => {
    const columns = (row: typeof rowBefore) =>
      (row?.columns ?? []).map((column, index) => ({
        key: column.id,
        value: column,
        label: t('editor.diff.column', { number: index + 1 }),
      }))
    return [
      ...compareFields(settings, rowBefore?.attrs ?? {}, rowAfter?.attrs ?? {}),
      ...compareItems(columns(rowBefore), columns(rowAfter), (columnBefore, columnAfter) => [
        ...compare(undefined, columnBefore?.width ?? '', columnAfter?.width ?? '', t('editor.diff.width')),
        ...compareBlocks(sets, columnBefore?.blocks ?? [], columnAfter?.blocks ?? []),
      ]),
    ]
  })
}
