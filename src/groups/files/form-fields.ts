import { fail } from '../../platform/errors.ts'
import { message } from '../../platform/texts.ts'
import { templateMustBePossible } from './rules.ts'

/** The template and the position that the form of an upload may have beside the files. */
export function fieldsOf(fields: Map<string, string>): { template: string | null; sort: number | null } {
  const { template, sort = '', ...others } = Object.fromEntries(fields)
  refuseOtherFields(new Map(Object.entries(others)))
  if (sort !== '' && !/^\d{1,7}$/.test(sort))
    throw invalid('sort', 'type', message('validation.type', { kind: message('kind.int') }))
  return { template: templateMustBePossible(template), sort: sort === '' ? null : Number(sort) }
}

/** `sort` is sent with the content, but is a position in the list: a number, or empty for none. */
export function withoutSort(form: Readonly<Record<string, unknown>>) {
  const { sort, ...sent } = form
  if (sort === undefined || sort === null) return { sent, sort: undefined }
  const text = typeof sort === 'number' || typeof sort === 'string' ? String(sort).trim() : undefined
  if (text === undefined || !/^\d{0,7}$/.test(text))
    throw invalid('sort', 'type', message('validation.type', { kind: message('kind.int') }))
  return { sent, sort: text === '' ? null : Number(text) }
}

export function refuseOtherFields(fields: Map<string, string>): void {
  const [unknown] = fields.keys()
  if (unknown !== undefined) throw invalid(unknown, 'unknown', message('validation.unknown'))
}

function invalid(name: string, rule: string, text: ReturnType<typeof message>) {
  const label = name.slice(0, 100)
  return fail('validation').with({ details: { [label]: { label, message: { [rule]: text } } } })
}
