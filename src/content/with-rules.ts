import { createHash } from 'node:crypto'
import type { Context } from '../access/actor.ts'
import type { Form } from '../blueprints/blueprints.ts'
import type { ContentLanguage } from '../http/context.ts'
import { fail } from '../platform/errors.ts'
import { RunBefore } from '../platform/store/store.ts'
import type { StoredContent } from './content.ts'
import type { Problems } from './rules.ts'

/** The page, file, account or site that an operation changes, as rules of extensions see it. */
export interface RuledModel {
  kind: 'page' | 'file' | 'user' | 'site'
  /** The template of a page or file, the role of an account; rules can be limited to some. */
  template?: string | null
  /** Plain values, which are compared as JSON. The revision is among them, if the model exists. */
  facts: Readonly<Record<string, unknown>>
}

/** A model, and what is done to it. */
export interface RuledChange extends RuledModel {
  /** `pages.update`, `pages.publish`: all that the change is. */
  operations: readonly string[]
  /** Arguments of the operation other than content. */
  input?: Readonly<Record<string, unknown>>
}

/** What is asked of the rules: may these operations be done to this model? */
export interface RuleSubject extends RuledChange {
  model: { owner: string; form: Pick<Form, 'fields' | 'broken'>; reserved: ReadonlySet<string> }
  /** The language of the content. */
  language: ContentLanguage | undefined
  /** The content as it will be; undefined if the operation does not change it: then it is read when a rule needs it. */
  content?: StoredContent
  /** Undefined for a new model. */
  before?: StoredContent | undefined
}

/** The rules of all extensions. `App` has none if no extension declares any. */
export interface Rules {
  concern(subject: Pick<RuleSubject, 'operations' | 'template'>): boolean
  /** Runs the rules in order. Returns the content as they have amended it; throws the error of the one that refuses. */
  run(ctx: Context, subject: RuleSubject): Promise<StoredContent>
  /** What the rules would refuse, by field. */
  problems(ctx: Context, subject: RuleSubject): Promise<Problems>
}

interface Verdict {
  /** Of what the rules have checked. */
  hash: string
  content: StoredContent
  rounds: number
}

/** The results of rules in a request. A transaction that runs again finds them here. */
const verdicts = new WeakMap<Context, Map<string, Verdict>>()

/** How often rules run for one change, if others change the same model meanwhile. */
const maxRounds = 8

/** An import writes content that was valid elsewhere; the installation writes the first account. */
const isExempt = ({ actor }: Context) => actor.system === 'import' || actor.system === 'installation'

/**
 * Returns the content as the rules of extensions want it, or throws the error of the rule that refuses. Called in the
 * transaction, on what it has locked. Rules may be slow, so they do not run inside it: the transaction is rolled back,
 * they run, and it runs again. If what it would store has changed by then, they run once more.
 */
export function followRules(ctx: Context, subject: RuleSubject): StoredContent {
  return followAll(ctx, [subject])[0]!
}

/** The same for several models of one transaction. */
export function followAll(ctx: Context, subjects: readonly RuleSubject[]): StoredContent[] {
  const { rules } = ctx.app.extensions
  const known = verdicts.get(ctx) ?? new Map<string, Verdict>()
  verdicts.set(ctx, known)
  const unchecked: RuleSubject[] = []
  const contents = subjects.map(subject => {
    const { content = {} } = subject
    if (!rules?.concern(subject) || isExempt(ctx)) return content
    const verdict = known.get(nameOf(subject))
    if (verdict?.hash === hashOf(subject)) return verdict.content
    if ((verdict?.rounds ?? 0) >= maxRounds) throw fail('busy')
    unchecked.push(subject)
    return content
  })
  if (rules && unchecked.length > 0)
    throw new RunBefore(async () => {
      for (const subject of unchecked) {
        const name = nameOf(subject)
        const rounds = (known.get(name)?.rounds ?? 0) + 1
        known.set(name, { hash: hashOf(subject), content: await rules.run(ctx, subject), rounds })
      }
    })
  return contents
}

/** A change of the title is an operation of its own, also if it comes with the content. */
export function withTitleOperation(
  ruled: RuledChange,
  before: StoredContent,
  { title = '' }: StoredContent,
): RuledChange {
  const group = { page: 'pages', site: 'site', file: undefined, user: undefined }[ruled.kind]
  if (group === undefined || title === (before['title'] ?? '')) return ruled
  const operations = [...new Set([...ruled.operations, `${group}.changeTitle`])]
  return { ...ruled, operations, input: { ...ruled.input, title } }
}

/** Adds what rules would refuse, if the draft were published, to its errors. The rules of the blueprint come first. */
export async function addRuleProblems(
  ctx: Context,
  problems: Problems,
  subject: Omit<RuleSubject, 'operations'> & { content: StoredContent; before: StoredContent },
): Promise<Problems> {
  const { rules } = ctx.app.extensions
  if (!rules) return problems
  const operations = ['update', 'publish'].map(name => `${groups[subject.kind]}.${name}`)
  const published = { ...subject, ...withTitleOperation({ ...subject, operations }, subject.before, subject.content) }
  if (!rules.concern(published)) return problems
  return { ...(await rules.problems(ctx, published)), ...problems }
}

const groups = { page: 'pages', file: 'files', user: 'users', site: 'site' } as const

const nameOf = ({ operations, model, language }: RuleSubject) =>
  JSON.stringify([operations, model.owner, language?.key])

function hashOf({ facts, content, before, input }: RuleSubject): string {
  return createHash('sha256')
    .update(JSON.stringify([facts, content, before, input]))
    .digest('base64')
}
