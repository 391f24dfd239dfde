import type { Option, Permissions } from './permissions/permissions.ts'
import type { Message } from '../platform/texts.ts'
import type { Fields, BlueprintText } from './fields/field.ts'
import type { SourcePosition, Plain } from './source.ts'

/** A mistake in a blueprint. The server still starts and uses the rest. */
export interface BlueprintProblem extends SourcePosition {
  message: string
}

/**
 * Settings as they are written in YAML, merged with those they extend. Queries and texts in them are not resolved or
 * translated yet.
 */
export interface ShownSettings {
  readonly [setting: string]: Plain | Message | ShownSettings
}

export interface Blueprint extends Form {
  /** `pages/note`, `users/editor`, `site` */
  name: string
  title: BlueprintText
  icon: string | undefined
  /** How the panel shows the model in lists; `false` for no image. */
  image: Plain | undefined
  /** Action → which roles may do it here. Null where the blueprint does not set the option. */
  options: Readonly<Record<string, Option>>
}

/** What the panel shows and accepts as input. */
export interface Form {
  /** In the order in which they are shown: tabs contain columns, columns contain sections. */
  tabs: readonly Tab[]
  /** The same sections by their names. */
  sections: ReadonlyMap<string, Section>
  /** Every field by its lower-case name, in the order of the blueprint. */
  fields: Fields
  /**
   * Names of fields with an invalid definition. Their stored values stay unchanged, and nothing can be written to them
   * until the blueprint is corrected.
   */
  broken: ReadonlySet<string>
}

export interface Tab {
  name: string
  label: BlueprintText
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
  /** Of a fields section: the definitions as they are written. `Form.fields` has them validated. */
  fields?: Readonly<Record<string, ShownSettings>>
  [setting: string]: unknown
}

export const statuses = ['draft', 'unlisted', 'listed'] as const
export type Status = (typeof statuses)[number]

export interface StatusText {
  label: BlueprintText
  text: BlueprintText | null
}

export interface PageBlueprint extends Blueprint {
  /** The statuses that a page can have, in the order of the blueprint. `draft` always exists. */
  status: Readonly<Partial<Record<Status, StatusText>>>
  /** `default`, `zero`, `date`, `datetime`, or a template with placeholders. */
  num: string
  /** The templates that a page can be changed to; empty where the blueprint names none. */
  changeTemplate: readonly string[]
  /** URL of the preview: `true` for the URL of the page, `false` for no preview, or a template of the URL. */
  preview: boolean | string
  /**
   * The settings `create` (the dialog for new pages) and `navigation` (previous and next page), as they are written.
   */
  create: Plain | undefined
  navigation: Plain | undefined
}

export interface FileBlueprint extends Blueprint {
  accept: Accept
  /** How images are processed when they are uploaded. */
  create: Plain | undefined
  changeTemplate: readonly string[]
}

/** Which files are accepted. A file must match every list that is set; an empty list accepts no file. */
export interface Accept {
  /** `*` matches any subtype: `image/*` */
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
  description: BlueprintText | undefined
  permissions: Permissions
  /** Users of this role cannot do anything else before they have set up a second factor. */
  requireSecondFactor: boolean
}

/** All blueprints of a site, read and validated once. */
export interface Blueprints {
  /** Changes whenever the blueprints have been read again from the disk. */
  readonly version: number
  readonly problems: readonly BlueprintProblem[]
  site(): Blueprint
  /** The blueprint of `default` for a template without a blueprint. */
  page(template: string): PageBlueprint
  file(template: string): FileBlueprint
  /** Undefined for a role without a blueprint: its users have no permissions. */
  role(name: string): RoleBlueprint | undefined
  /** What anonymous clients may read, by `users/nobody.yml`; undefined without that file. */
  nobody(): Permissions | undefined
  /** The blueprint of the accounts of a role: its own, or `users/default.yml`, which grants no permissions. */
  user(role: string): Blueprint | undefined
  /** Sorted names: templates of pages and files (including `default`), roles (always including `admin`). */
  templates(kind: 'pages' | 'files'): readonly string[]
  roles(): readonly string[]
  /** Starts to watch the files and to read them again after a change. `onChange` is called after each reading. */
  watch(onChange: () => void): void
  close(): void
}
