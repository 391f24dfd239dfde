import { z } from 'zod'
import { type Block, blockList, storedBlocksById, listIn } from './block-list.ts'
import { runToEnd } from '../../platform/lib/steps.ts'
import { message } from '../../platform/texts.ts'
import { brokenValue, isBroken } from './broken.ts'
import { type BrokenValue, type FieldType, fieldType, type NestedFields, type Stored, type Written } from './field.ts'
import { blocksIn, blocksInSent } from './html-blocks.ts'
import { storedUnlessChanged } from './merge.ts'
import { checkListRules, wrongType } from './rules.ts'
import { counts, flag, saved, text } from './settings.ts'
import { tooMuchHtml } from './rich-text.ts'
import { textOf } from './stored.ts'
import { brokenStays } from './values.ts'

/** Limit for entries, and for the characters of an older text: more than editors ever send. */
const maxHtmlLength = 100_000

/** Settings that blocks and layout share. */
export const blockSettings = () => ({
  ...saved(),
  ...counts(),
  empty: text().optional(),
  group: z.string().default('blocks'),
  pretty: flag(false),
})

const looksLikeJson = (value: string) => /^\s*\[\s*(?:\{|$)/.test(value)

/**
 * The stored blocks, or an older text converted to blocks. A value that starts like a list of blocks but is none is
 * broken.
 */
function entriesIn(stored: Stored | undefined): readonly unknown[] | BrokenValue {
  const list = listIn(stored)
  if (list) return list
  const html = textOf(stored)
  if (looksLikeJson(html)) return brokenValue(html, 'unreadable')
  return blocksIn(html) ?? brokenValue(html, 'tooLarge')
}

/** A list of blocks of different kinds. A text from before the field had blocks is split into blocks. */
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
    const { min, max, ...broken } = checkListRules(field, isActive, value)
    const wrong = min ?? max ?? blockList.firstWrong(value, field.fieldsets)
    return wrong ? { ...broken, blocks: wrong } : broken
  },
  inside: (value, { fieldsets }) => blockList.inside(value, fieldsets),
})

function* writeBlocks(
  sent: unknown,
  { fieldsets }: Pick<NestedFields, 'fieldsets'>,
  before: Stored | undefined,
): Generator<void, Written> {
  const listOrHtml = listIn(sent) ?? (typeof sent === 'string' ? sent : undefined)
  if (listOrHtml === undefined || (typeof listOrHtml === 'string' && looksLikeJson(listOrHtml)))
    return wrongType('list')
  if (listOrHtml.length > maxHtmlLength) return { broken: { blocks: message('validation.tooLarge') } }
  const blocksSent = typeof listOrHtml === 'string' ? blocksInSent(listOrHtml) : listOrHtml
  if (blocksSent === undefined) return tooMuchHtml()
  const previous = entriesIn(before)
  if (isBroken(previous)) return brokenStays()
  const written = yield* blockList.write(blocksSent, fieldsets, previous, storedBlocksById(previous))
  return 'wrong' in written
    ? { broken: { blocks: written.wrong } }
    : { stored: storedUnlessChanged(written.stored, previous, before) }
}
