import { blocks } from './blocks.ts'
import { checkboxes } from './checkboxes.ts'
import { color } from './color.ts'
import { date } from './date.ts'
import { email } from './email.ts'
import type { FieldType } from './field.ts'
import { files } from './files.ts'
import { gap } from './gap.ts'
import { headline } from './headline.ts'
import { hidden } from './hidden.ts'
import { info } from './info.ts'
import { layout } from './layout.ts'
import { line } from './line.ts'
import { link } from './link.ts'
import { list } from './list.ts'
import { multiselect } from './multiselect.ts'
import { number } from './number.ts'
import { object } from './object.ts'
import { pages } from './pages.ts'
import { radio } from './radio.ts'
import { range } from './range.ts'
import { select } from './select.ts'
import { slug } from './slug.ts'
import { structure } from './structure.ts'
import { table } from './table.ts'
import { tags } from './tags.ts'
import { tel } from './tel.ts'
import { text } from './text.ts'
import { textarea } from './textarea.ts'
import { time } from './time.ts'
import { toggle } from './toggle.ts'
import { toggles } from './toggles.ts'
import { url } from './url.ts'
import { users } from './users.ts'
import { writer } from './writer.ts'

const types = {
  blocks: blocks,
  checkboxes,
  color,
  date,
  email,
  files,
  gap,
  headline,
  hidden,
  info,
  layout: layout,
  line,
  link,
  list,
  multiselect,
  number,
  object: object,
  pages,
  radio,
  range,
  select,
  slug,
  structure: structure,
  table,
  tags,
  tel,
  text,
  textarea,
  time,
  toggle,
  toggles,
  url,
  users,
  writer,
} satisfies Readonly<Record<string, FieldType>>

/** Every built-in field type by its name in blueprints. */
export const fieldTypes: Readonly<Record<string, FieldType>> = types
