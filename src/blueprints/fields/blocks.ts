import { z } from 'zod'
import { type Block, createBlockList, keptById, listIn } from './block-list.ts'
import { message } from '../../texts.ts'
import { type FieldType, fieldType, type FindType } from './field.ts'
import { blocksIn, blocksInSent } from './html-blocks.ts'
import { judgeList, wrongType } from './rules.ts'
import { counts, flag, saved, text } from './settings.ts'
import { tooMuchHtml } from './rich-text.ts'
import { textOf } from './stored.ts'

/** More entries, or letters of an older text, are never sent by people. */
const longest = 100_000

/** What blocks and layout can be given alike. */
export const blockSettings = () => ({
  ...saved(),
  ...counts(),
  empty: text().optional(),
  group: z.string().default('blocks'),
  pretty: flag(false),
})

/** A list of blocks of different kinds, stored as JSON. Older texts are taken apart into blocks. */
export function blocks(findType: FindType): FieldType<never, readonly Block[]> {
  const list = createBlockList(findType)
  return fieldType({
    settings: () => z.strictObject(blockSettings()),
    nested: ['fieldsets'],
    read: (stored, { fieldsets }) => list.read(listIn(stored) ?? blocksIn(textOf(stored)), fieldsets),
    write(sent, { fieldsets }, before) {
      const given = listIn(sent) ?? (typeof sent === 'string' ? sent : undefined)
      if (given === undefined) return wrongType('list')
      if (given.length > longest) return { broken: { blocks: message('validation.tooLarge') } }
      const blocksSent = typeof given === 'string' ? blocksInSent(given) : given
      if (blocksSent === undefined) return tooMuchHtml()
      const written = list.write(blocksSent, fieldsets, keptById(listIn(before) ?? []))
      return 'wrong' in written ? { broken: { blocks: written.wrong } } : written
    },
    encode: stored => JSON.stringify(stored),
    check(value, field, asked = true) {
      const { min, max, ...broken } = judgeList(field, asked, value)
      const wrong = min ?? max ?? list.firstWrong(value, field.fieldsets)
      return wrong ? { ...broken, blocks: wrong } : broken
    },
    inside: (value, { fieldsets }) => list.inside(value, fieldsets),
  })
}
