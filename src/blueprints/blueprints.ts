import type { Option, Permissions } from '../permissions/permissions.ts'
import type { Field, Text } from './fields/field.ts'

/** Something wrong in a blueprint. The server starts all the same and uses what is left. */
export interface Problem {
  /** From the site's folder: `blueprints/pages/note.yml`. */
  file: string
  line: number
  column: number
  message: string
}

export interface Blueprint {
  /** `pages/note`, `users/editor`, `site` */
  name: string
  title: Text
  /** Action → who may do it here. */
  options: Readonly<Record<string, Option>>
  /** As they are shown: tabs with columns with sections. */
  tabs: readonly Tab[]
  /** Every field of the form by its name in small letters, in the order of the blueprint. */
  fields: ReadonlyMap<string, Field>
}

export interface Tab {
  name: string
  label: Text
  icon?: string
  columns: readonly Column[]
}

export interface Column {
  width: string
  sections: Readonly<Record<string, Section>>
}

export interface Section {
  name: string
  type: string
  fields?: Readonly<Record<string, Field>>
  [setting: string]: unknown
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
  readonly problems: readonly Problem[]
  site(): Blueprint
  page(template: string): Blueprint
  file(template: string): Blueprint
  /** Undefined for a role that nobody described: its users may nothing. */
  role(name: string): RoleBlueprint | undefined
  /** Names of the described ones, sorted: templates of pages and files, roles (with `admin`, always). */
  templates(kind: 'pages' | 'files'): readonly string[]
  roles(): readonly string[]
  close(): void
}
