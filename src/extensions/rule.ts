import type { Logger } from 'pino'
import type { ReadingCms } from './cms.ts'
import type { ContentRuleName, RuleName } from './rule-names.ts'

/** A page as a rule sees it: status and template as they will be, everything else as it is now. */
export interface RulePage {
  id: string
  /** `page://…`, as in the API. */
  uuid: string
  template: string
  status: 'draft' | 'unlisted' | 'listed'
  /** `page://…`, or `site://` at the top level. */
  parent: string
  /** 0 for a new page. */
  revision: number
}

export interface RuleFile {
  /** `file://…`; empty for a new file. */
  uuid: string
  filename: string
  template: string | null
  /** Its page, the site or its account: `page://…`, `site://`, `user://…`. */
  parent: string
  mime: string
  /** In bytes. */
  size: number
  revision: number
}

export interface RuleUser {
  id: string
  email: string
  name: string
  role: string
  language: string
  revision: number
}

/** What an operation is told besides content. */
interface RuleInputs {
  'pages.changeStatus': { status: RulePage['status']; position?: number }
  'pages.changeTitle': { title: string }
  'pages.changeSlug': { slug: string; language?: string }
  'pages.changeTemplate': { template: string }
  /** The new parent: `page://…`, or `site://` for the top level. */
  'pages.move': { parent: string; slug: string }
  'pages.duplicate': { slug?: string; title?: string; children: boolean; files: boolean }
  'pages.delete': { force: boolean }
  'files.replace': { size: number; width: number | null; height: number | null }
  'files.changeName': { filename: string }
  'files.changeTemplate': { template: string }
  'users.changeName': { name: string }
  'users.changeLanguage': { language: string }
  'users.changeRole': { role: string }
  'users.changeStatus': { status: 'active' | 'disabled' }
}

export interface RuleContext<Name extends RuleName, Content> {
  /** The operation that is about to be done. */
  operation: Name
  page: Name extends `pages.${string}` ? RulePage : undefined
  file: Name extends `files.${string}` ? RuleFile : undefined
  user: Name extends `users.${string}` ? RuleUser : undefined
  /** All values as they will be. They have the form of their fields, but may break rules of the blueprint. */
  content: Readonly<Content>
  /** All values as they are now; undefined for a new model. */
  before: Readonly<Content> | undefined
  input: Name extends keyof RuleInputs ? RuleInputs[Name] : Readonly<Record<string, unknown>>
  /** The code of the language of the content; undefined on a site without languages. */
  language: string | undefined
  /** The account that acts; undefined for the program itself, such as a schedule without an account. */
  caller: { id: string; role: string } | undefined
  /** Reads as the caller; everything else is refused with `error.extension.readOnly`. */
  cms: ReadingCms
  log: Logger
  /** Aborted when the time limit is over. */
  signal: AbortSignal
}

/** Values by field that replace those in `content`. */
// oxlint-disable-next-line typescript/no-invalid-void-type -- a rule that amends nothing returns nothing
type Amended<Name> = Name extends ContentRuleName ? Readonly<Record<string, unknown>> | void : void

export interface RuleOptions {
  /** Only for pages and files with these templates, or accounts with these roles. */
  templates?: readonly string[]
  /** Time limit in ms, at most 10,000. */
  timeout?: number
}

/** A rule without its type parameters. */
export interface Rule {
  readonly names: readonly string[]
  readonly check: (context: never) => unknown
  readonly options: RuleOptions
}

/**
 * Declares a rule for operations. It runs before them and may `refuse`, or return amended content. `pages.publish` runs
 * before everything that makes content of pages visible or changes what is visible.
 */
export function rule<const Name extends RuleName, Content = Record<string, unknown>>(
  name: Name | readonly Name[],
  check: (context: RuleContext<Name, Content>) => Amended<Name> | Promise<Amended<Name>>,
  options: RuleOptions = {},
): Rule {
  return { names: typeof name === 'string' ? [name] : name, check, options }
}
