import {
  type Field,
  type Fields,
  type Fieldset,
  builtInTypeOf,
  type NestedFields,
  fieldTypeOf,
} from '../../blueprints/fields/field.ts'
import { offeredBy } from '../../blueprints/fields/options.ts'
import { type Member, quoted, type Type } from './print.ts'

/** Returns the name of the TypeScript type of a block type. */
export type NameOfBlock = (set: Fieldset) => string

type Choice = Parameters<typeof offeredBy>[0]

const text = () => 'string'
const maybeText = () => 'string | null'
const number = () => "number | ''"

/** One of the options, or an empty string; any string if the options are only known at request time. */
function choice(field: Field): Type {
  const offered = offeredBy(field as unknown as Choice)
  return offered
    ? {
        union: [...offered.values]
          .filter(value => value !== '')
          .map(quoted)
          .concat("''"),
      }
    : 'string'
}

function choices(field: Field): Type {
  const offered = field['accept'] === 'all' ? undefined : offeredBy(field as unknown as Choice)
  return { list: offered ? { union: [...offered.values].map(quoted) } : 'string' }
}

function blocksOf({ fieldsets }: Pick<NestedFields, 'fieldsets'>, nameOf: NameOfBlock): Type {
  return { list: { union: [...fieldsets.values()].map(nameOf).toSorted() } }
}

/** The type of values that are parsed when they are read, and may be broken. */
const orBroken = (type: Type): Type => ({ name: 'OrBroken', of: type })

function layout(field: Field, nameOf: NameOfBlock): Type {
  const { fieldsets, settings } = field as unknown as Pick<NestedFields, 'fieldsets' | 'settings'>
  const attrs = membersOf(settings, nameOf)
  const columns: Member[] = [
    { name: 'blocks', type: blocksOf({ fieldsets }, nameOf) },
    { name: 'id', type: 'string' },
    { name: 'width', type: 'string' },
  ]
  return {
    list: {
      members: [
        { name: 'attrs', type: attrs.length === 0 ? 'Record<string, unknown>' : { members: attrs } },
        { name: 'columns', type: { list: { members: columns } } },
        { name: 'id', type: 'string' },
      ],
    },
  }
}

const fieldsIn = (field: Field) => (field as unknown as { fields: Fields }).fields

/** The type of the value that the API sends, for each field type. */
export const types: Readonly<Record<string, (field: Field, nameOf: NameOfBlock) => Type>> = {
  blocks: (field, nameOf) => orBroken(blocksOf(field as unknown as Pick<NestedFields, 'fieldsets'>, nameOf)),
  checkboxes: choices,
  color: maybeText,
  date: text,
  email: text,
  files: () => orBroken('FileEntry[]'),
  hidden: maybeText,
  layout: (field, nameOf) => orBroken(layout(field, nameOf)),
  link: text,
  list: () => orBroken('string'),
  multiselect: choices,
  number,
  object: (field, nameOf) =>
    orBroken({ name: 'OrEmpty', of: { members: membersOf({ fields: fieldsIn(field) }, nameOf) } }),
  pages: () => orBroken('PageEntry[]'),
  radio: choice,
  range: number,
  select: choice,
  slug: text,
  structure: (field, nameOf) => orBroken({ list: { members: membersOf({ fields: fieldsIn(field) }, nameOf) } }),
  table: () =>
    orBroken({
      members: [
        { name: 'header', type: 'boolean' },
        { name: 'rows', type: { list: { list: 'string' } } },
      ],
    }),
  tags: choices,
  tel: text,
  text,
  textarea: text,
  time: text,
  toggle: () => 'boolean',
  toggles: choice,
  url: text,
  users: () => orBroken('UserEntry[]'),
  writer: () => orBroken('string'),
}

/** The code of an extension may fail on a stored value, so any of its values may be broken. */
function typeIn(field: Field, nameOf: NameOfBlock): Type {
  const { own } = fieldTypeOf(field)
  const type = own?.typing ?? types[builtInTypeOf(field)]?.(field, nameOf) ?? 'unknown'
  const includesBroken = type === 'unknown' || (typeof type === 'object' && 'of' in type && type.name === 'OrBroken')
  return own && !includesBroken ? orBroken(type) : type
}

interface TypedFields {
  fields: Fields
  broken?: ReadonlySet<string>
}

/**
 * All fields with a value. For a field with an invalid definition the API sends the stored value unchanged, if there is
 * one.
 */
export function membersOf({ fields, broken = new Set() }: TypedFields, nameOf: NameOfBlock): Member[] {
  const members = [...fields].flatMap(([name, field]): Member[] =>
    fieldTypeOf(field).saved ? [{ name, type: typeIn(field, nameOf) }] : [],
  )
  return [...members, ...[...broken].map(name => ({ name, type: 'unknown', optional: true }))]
}
