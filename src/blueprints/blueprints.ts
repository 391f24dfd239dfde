import type { Option, Permissions } from './permissions/permissions.ts'
import type { Message } from '../platform/texts.ts'
import type { Fields, Text } from './fields/field.ts'
import type { Place, Plain } from './source.ts'

/** Something wrong in a blueprint. The server starts all the same and uses what is left. */
export interface Problem extends Place {
  message: string
}

/** Settings as they are written, with what they extend; nothing in them is resolved or translated. */
export interface Shown {
  readonly [setting: string]: Plain | Message | Shown
}

export interface Blueprint extends Form {
  /** `pages/note`, `users/editor`, `site` */
  name: string
  title: Text
  icon: string | undefined
  /** How the panel shows the thing in lists; `false` for not at all. */
  image: Plain | undefined
  /** Action → who may do it here. Null where the blueprint says nothing. */
  options: Readonly<Record<string, Option>>
}

/** What people see and fill in. */
export interface Form {
  /** As they are shown: tabs with columns with sections. */
  tabs: readonly Tab[]
  /** The same sections by their names. */
  sections: ReadonlyMap<string, Section>
  /** Every field by its name in small letters, in the order of the blueprint. */
  fields: Fields
  /**
   * Names of fields whose description is wrong. What is stored for them stays as it is, and nothing can be written to
   * them before the blueprint is right.
   */
  broken: ReadonlySet<string>
}

export interface Tab {
  name: string
  label: Text
  icon: string | null
  /** A list, or a map if the columns have names. */
  columns: readonly Column[] | Readonly<Record<string, Column>>
  [setting: string]: unknown
}

export interface Column {
  width: string
  sections: Readonly<Record<string, Section>>
  [setting: string]: unknown
}

export interface Section {
  name: string
  type: string
  /** Of a fields section: as they are written; `Form.fields` has them checked. */
  fields?: Readonly<Record<string, Shown>>
  [setting: string]: unknown
}

export const statuses = ['draft', 'unlisted', 'listed'] as const
export type Status = (typeof statuses)[number]

export interface StatusText {
  label: Text
  text: Text | null
}

export interface PageBlueprint extends Blueprint {
  /** The states a page can be in, in the order of the blueprint. There is always a draft. */
  status: Readonly<Partial<Record<Status, StatusText>>>
  /** `default`, `zero`, `date`, `datetime`, or a text with placeholders. */
  num: string
  /** The templates a page can be changed to; none where the blueprint says nothing. */
  changeTemplate: readonly string[]
  /** Where a preview is: at the page's address, nowhere, or at the address that this text gives. */
  preview: boolean | string
  /** How new pages are made, and what leads from one page to the next: as they are written. */
  create: Plain | undefined
  navigation: Plain | undefined
}

export interface FileBlueprint extends Blueprint {
  accept: Accept
  /** What is done to pictures when they arrive. */
  create: Plain | undefined
  changeTemplate: readonly string[]
}

/** Which files are taken. Every list that is there must have the file; an empty one takes none. */
export interface Accept {
  /** With `*` for any: `image/*` */
  mime?: readonly string[]
  extension?: readonly string[]
  type?: readonly string[]
  minsize?: number
  maxsize?: number
  minwidth?: number
  maxwidth?: number
  minheight?: number
  maxheight?: number
  orientation?: 'landscape' | 'portrait' | 'square'
}

/** A role is the blueprint of its users. */
export interface RoleBlueprint extends Blueprint {
  role: string
  description: Text | undefined
  permissions: Permissions
  /** Its users cannot work before they have a second factor. */
  requireSecondFactor: boolean
}

/** All blueprints of a site, read once and checked. */
export interface Blueprints {
  /** Another number whenever a change on disk has been read. */
  readonly version: number
  readonly problems: readonly Problem[]
  site(): Blueprint
  /** That of `default` for a template that nobody described. */
  page(template: string): PageBlueprint
  file(template: string): FileBlueprint
  /** Undefined for a role that nobody described: its users may nothing. */
  role(name: string): RoleBlueprint | undefined
  /** Of the accounts of a role: its own, or that of `users/default.yml`, which gives no permissions. */
  user(role: string): Blueprint | undefined
  /** Names, sorted: templates of pages and files (with `default`), roles (with `admin`, always). */
  templates(kind: 'pages' | 'files'): readonly string[]
  roles(): readonly string[]
  /** From now on changes on disk are read. `onChange` is called after that. */
  watch(onChange: () => void): void
  close(): void
}
