import { accountOf, type Context } from '../../../access/actor.ts'
import { canViewAccount } from '../../../access/authorize/accounts.ts'
import { isAuthor, isAuthorOrPublisher, isRoleAllowed } from '../../../access/authorize/pages.ts'
import { recordEvent } from '../../../content/change-events.ts'
import { fail } from '../../../platform/errors.ts'
import { createId } from '../../../platform/lib/id.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { chargeFor, isWithin } from '../../../platform/throttle/throttle.ts'
import { pageBlueprintOf, ownerOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { queuePageMail } from '../review/mail.ts'
import { lockPage } from '../tree/lock.ts'
import { mentionsIn } from './mentions.ts'
import * as queries from './queries.ts'

/** On one page. */
const maxComments = 1000

type Page = Pick<PageRow, 'uuid'>

/** Adds a comment, to a thread or as the first of a new one. Mentioned accounts get a mail. Returns its id. */
export async function addComment(
  ctx: Context,
  { uuid }: Page,
  { text, field, thread }: { text: string; field: string; thread: string | undefined },
): Promise<string> {
  const owner = ownerOfPage(uuid)
  const id = createId()
  await ctx.app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['update'], undefined)
    if (thread === undefined) fieldMustExist(ctx, page, field)
    if (thread !== undefined && (await findFirst(tx, owner, thread)).thread !== thread)
      throw fail('page.comment.notFound')
    if ((await queries.countComments(tx, owner)) >= maxComments)
      throw fail('page.comment.tooMany', { max: String(maxComments) })
    const user_id = accountOf(ctx) ?? null
    await queries.insertComment(tx, {
      id,
      owner,
      thread: thread ?? id,
      field: thread === undefined ? field : '',
      user_id,
      text,
    })
    await mailMentioned(ctx, tx, page, { id, text }, mentionsIn(text))
    await recordComment(ctx, tx, page, thread === undefined ? 'created' : 'replied')
  })
  return id
}

/** Changes the text, which only its author may do, or resolves a thread by its first comment. */
export async function changeComment(
  ctx: Context,
  { uuid }: Page,
  id: string,
  { text, resolved }: { text?: string | undefined; resolved?: boolean | undefined },
): Promise<void> {
  const owner = ownerOfPage(uuid)
  const user = accountOf(ctx)
  await ctx.app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['update'], undefined)
    const comment = await findFirst(tx, owner, id)
    if (text !== undefined && text !== comment.text) {
      if (!isAuthor(ctx, comment.user_id)) throw fail('page.comment.permission')
      await queries.updateText(tx, id, text)
      const before = new Set(mentionsIn(comment.text))
      const added = mentionsIn(text).filter(one => !before.has(one))
      await mailMentioned(ctx, tx, page, { id, text }, added)
      await recordComment(ctx, tx, page, 'changed')
    }
    if (resolved === undefined || resolved === (comment.resolved_at !== null)) return
    if (comment.thread !== id) throw fail('page.comment.notFound')
    await queries.updateResolved(tx, id, { isResolved: resolved, user })
    await recordComment(ctx, tx, page, resolved ? 'resolved' : 'reopened')
  })
}

/** Deletes own comments; those of others only if the caller may publish the page. With the first its replies go, too. */
export async function deleteComment(ctx: Context, { uuid }: Page, id: string): Promise<void> {
  const owner = ownerOfPage(uuid)
  await ctx.app.store.write(async tx => {
    const page = await lockPage(ctx, tx, uuid, ['update'], undefined)
    await findFirst(tx, owner, id)
    const authors = await queries.selectAuthorsBelow(tx, owner, id)
    if (!isAuthorOrPublisher(ctx, page, authors)) throw fail('page.comment.permission')
    await queries.deleteComments(tx, owner, id)
    await recordComment(ctx, tx, page, 'deleted')
  })
}

/** Only the first part of the path is checked: rows and blocks come and go. */
function fieldMustExist({ app }: Context, page: PageRow, path: string): void {
  const [name = ''] = path.split('/')
  const { fields, broken } = pageBlueprintOf(app, page)
  if (path !== '' && name !== 'title' && !fields.has(name) && !broken.has(name))
    throw fail('field.notFound', { name: name.slice(0, 100) })
}

async function findFirst(tx: Tx, owner: string, id: string) {
  const found = await queries.selectComment(tx, owner, id)
  if (!found) throw fail('page.comment.notFound')
  return found
}

/** Sends a mail to the mentioned accounts that the author may see and that may see the page. */
async function mailMentioned(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { id: comment, text }: { id: string; text: string },
  ids: readonly string[],
): Promise<void> {
  const { app } = ctx
  const user = accountOf(ctx)
  const others = ids.filter(id => id !== user)
  if (others.length === 0) return
  const found = await queries.selectRecipients(tx, others)
  const recipients = found.filter(
    account => canViewAccount(ctx, account) && isRoleAllowed(app, account.role, ['access', 'read'], page),
  )
  const names = new Map(recipients.map(({ id, name, email }) => [id, name || email]))
  const note = text.replaceAll(/@\[([\w-]+)\]/g, (_, id: string) => `@${names.get(id) ?? '…'}`)
  for (const recipient of recipients) {
    if (!(await isWithin(app, tx, [chargeFor(app, 'mentionsOfUser', user ?? '')]))) return
    await queuePageMail(ctx, tx, page, recipient, 'mentioned', { note, comment })
  }
}

type What = 'created' | 'replied' | 'changed' | 'resolved' | 'reopened' | 'deleted'

async function recordComment(
  ctx: Context,
  tx: Tx,
  { uuid, template, path, revision }: PageRow,
  what: What,
): Promise<void> {
  await recordEvent(ctx, tx, 'page.comment', ownerOfPage(uuid), { template, path, revision, what })
}
