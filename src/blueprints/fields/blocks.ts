import { z } from 'zod'
import { type Block, blockList, storedBlocksById, listIn } from './block-list.ts'
import { runToEnd } from '../../platform/lib/steps.ts'
import { message } from '../../platform/texts.ts'
import { brokenValue, isBroken } from './broken.ts'
import {
  type BrokenValue,
  type FieldType,
  fieldType,
  type NestedFields,
  type StoredValue,
  type WriteResult,
} from './field.ts'
import { blocksIn, blocksInSent } from './html-blocks.ts'
import { storedUnlessChanged } from './merge.ts'
import { checkListRules, wrongType } from './rules.ts'
import { counts, flag, saved, textSetting } from './settings.ts'
import { tooMuchHtml } from './rich-text.ts'
import { textOf } from './stored.ts'
import { refuseOverwritingBroken } from './values.ts'

/** Limit for entries, and for the characters of an older text: more than editors ever send. */
const maxHtmlLength = 100_000

/** Settings that blocks and layout share. */
export const blockSettings = () => ({
  ...saved(),
  ...counts(),
  empty: textSetting().optional(),
  group: z.string().default('blocks'),
  pretty: flag(false),
})

const looksLikeJson = (value: string) => /^\s*\[\s*(?:\{|$)/.test(value)

/**
 * The stored blocks, or an older text converted to blocks. A value that starts like a list of blocks but is none is
 * broken.
 */
function entriesIn(stored: StoredValue | undefined): readonly unknown[] | BrokenValue {
  const list = listIn(stored)
  if (list) return list
  const html = textOf(stored)
  if (looksLikeJson(html)) return brokenValue(html, 'unreadable')
  return blocksIn(html) ?? brokenValue(html, 'tooLarge')
}

/** A list of blocks of different types. A text from before the field had blocks is split into blocks. */
export const blocks: FieldType<never, readonly Block[]> = fieldType({
  settings: () => z.strictObject(blockSettings()),
  nested: ['fieldsets'],
  storedAs: 'list',
  read(stored, { fieldsets }) {
    const entries = entriesIn(stored)
    return isBroken(entries) ? entries : blockList.read(entries, fieldsets)
  },
  write: (sent, field, before) => runToEnd(writeBlocks(sent, field, before)),
  writeInSteps: writeBlocks,
  check(value, field, isActive = true) {
    const { min, max, ...errors } = checkListRules(field, isActive, value)
    const error = min ?? max ?? blockList.firstError(value, field.fieldsets)
    return error ? { ...errors, blocks: error } : errors
  },
  nestedErrors: (value, { fieldsets }) => blockList.nestedErrors(value, fieldsets),
})

function* writeBlocks(
  sent: unknown,
  { fieldsets }: Pick<NestedFields, 'fieldsets'>,
  before: StoredValue | undefined,
): Generator<void, WriteResult> {
  const listOrHtml = listIn(sent) ?? (typeof sent === 'string' ? sent : undefined)
  if (listOrHtml === undefined || (typeof listOrHtml === 'string' && looksLikeJson(listOrHtml)))
    return wrongType('list')
  if (listOrHtml.length > maxHtmlLength) return { errors: { blocks: message('validation.tooLarge') } }
  const blocksSent = typeof listOrHtml === 'string' ? blocksInSent(listOrHtml) : listOrHtml
  if (blocksSent === undefined) return tooMuchHtml()
  const previous = entriesIn(before)
  if (isBroken(previous)) return refuseOverwritingBroken()
  const written = yield* blockList.write(blocksSent, fieldsets, previous, storedBlocksById(previous))
  return 'error' in written
    ? { errors: { blocks: written.error } }
    : { stored: storedUnlessChanged(written.stored, previous, before) }
}
