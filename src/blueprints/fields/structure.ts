import { z } from 'zod'
import { message } from '../../texts.ts'
import { type FieldType, fieldType, type FindType, type Stored } from './field.ts'
import { createNested, within } from './nested.ts'
import { judgeList, wrongType } from './rules.ts'
import { counts, flag, saved, text } from './settings.ts'
import { isList, isMap } from './stored.ts'
import { parseYaml } from './yaml.ts'

const settings = () =>
  z.strictObject({
    ...saved(),
    ...counts(),
    columns: z.record(z.string(), z.unknown()).optional(),
    duplicate: flag(true),
    empty: text().optional(),
    limit: z.int().min(1).optional(),
    prepend: flag(false),
    sortable: z.boolean().optional(),
    sortBy: z.string().optional(),
  })

type Row = Readonly<Record<string, unknown>>

/** Rows that all have the same fields. */
export function structure(findType: FindType): FieldType<never, readonly Row[]> {
  const nested = createNested(findType)
  return fieldType({
    settings,
    nested: ['fields'],
    read(stored, { fields }) {
      const rows = typeof stored === 'string' ? parseYaml(stored) : stored
      return isList(rows) ? rows.filter(isMap).map(row => nested.read(fields, row as Record<string, Stored>)) : []
    },
    write(sent, { fields }, before) {
      const rows = typeof sent === 'string' ? parseYaml(sent, 'sent') : sent
      if (!isList(rows)) return wrongType('list')
      const kept = typeof before === 'string' ? parseYaml(before) : before
      const stored: Stored[] = []
      for (const [index, row] of rows.entries()) {
        const number = String(index + 1)
        if (!isMap(row)) {
          const problem = message('validation.type', { kind: message('kind.object') })
          return { broken: { structure: message('validation.row', { row: number, problem }) } }
        }
        const written = nested.write(fields, row, isList(kept) ? kept[index] : undefined)
        if ('wrong' in written)
          return { broken: { structure: message('validation.structure', { row: number, ...written.wrong }) } }
        stored.push(written.stored)
      }
      return { stored }
    },
    check: (rows, field, asked = true) =>
      judgeList(field, asked, rows, () => {
        const [index, wrong] = nested.firstWrongOf(field.fields, rows) ?? []
        return wrong ? { structure: message('validation.structure', { row: String(index! + 1), ...wrong }) } : {}
      }),
    *inside(rows, { fields }) {
      for (const [index, row] of rows.entries()) yield* within(nested.inside(fields, row), index)
    },
  })
}
