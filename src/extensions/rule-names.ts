import type { api } from '../api.ts'

/** Every name of an endpoint: `pages.changes.publish`. */
type Names<Tree, Prefix extends string = ''> = {
  [Key in keyof Tree & string]: Tree[Key] extends { path: string; access: string }
    ? `${Prefix}${Key}`
    : Names<Tree[Key], `${Prefix}${Key}.`>
}[keyof Tree & string]

/** Several endpoints are one operation: `pages.changes.publish` is `pages.publish`, `site.files.upload` is `files.upload`. */
type Operation<Name> = Name extends `${string}.files.changes.${infer Action}`
  ? `files.${Action}`
  : Name extends `${string}.files.${infer Action}`
    ? `files.${Action}`
    : Name extends `${infer Group}.changes.${infer Action}`
      ? `${Group}.${Action}`
      : Name extends `${string}.children.create`
        ? 'pages.create'
        : Name

type OperationName = Operation<Names<Pick<typeof api, 'pages' | 'site' | 'users'>>>

/** Operations that store content: their rules may amend it. */
export const contentRuleNames = [
  'pages.create',
  'pages.update',
  'pages.publish',
  'site.update',
  'site.publish',
  'files.update',
  'files.publish',
  'users.create',
  'users.update',
  'users.publish',
] as const satisfies readonly OperationName[]

/** Operations that rules can only refuse. */
const refusableRules = [
  'pages.changeStatus',
  'pages.changeTitle',
  'pages.changeSlug',
  'pages.changeTemplate',
  'pages.move',
  'pages.duplicate',
  'pages.delete',
  'site.changeTitle',
  'files.upload',
  'files.replace',
  'files.changeName',
  'files.changeTemplate',
  'files.delete',
  'users.changeName',
  'users.changeLanguage',
  'users.changeRole',
  'users.changeStatus',
  'users.delete',
] as const satisfies readonly OperationName[]

export type ContentRuleName = (typeof contentRuleNames)[number]

/** The operations that rules can be declared for, by their names in `src/api.ts`. */
export type RuleName = ContentRuleName | (typeof refusableRules)[number]

export const ruleNames: readonly RuleName[] = [...contentRuleNames, ...refusableRules]
