import type { Context } from '../../../access/actor.ts'
import { isRoleAllowed } from '../../../access/authorize/pages.ts'
import { queueMail } from '../../../platform/mail/mail.ts'
import type { MailData } from '../../../platform/mail/render.ts'
import type { Tx } from '../../../platform/store/store.ts'
import { chargeFor, isWithin } from '../../../platform/throttle/throttle.ts'
import { inLanguage } from '../../../platform/translations/translations.ts'
import { titleOfPage } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { selectActiveUser, selectUsersOf } from './queries.ts'

/** More accounts are not notified: they find the page in the list of what waits. */
const maxRecipients = 50

const reviewerActions = ['access', 'read', 'update', 'publish'] as const

/** The roles that may publish the page. */
const publishingRoles = ({ app }: Context, page: PageRow): string[] =>
  app.blueprints.roles().filter(role => isRoleAllowed(app, role, reviewerActions, page))

/**
 * Sends a mail about a request for review to accounts that may publish the page: for at most one request per page and
 * language in ten minutes, and for at most 30 requests of an account in an hour. Other requests are stored without a
 * mail.
 */
export async function notifyReviewers(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { user, language, note }: { user: string | undefined; language: string | undefined; note: string },
): Promise<void> {
  const { app } = ctx
  // The account first: a request beyond its limit must not use up the mail of the page.
  const charges = [
    chargeFor(app, 'reviewsOfUser', user ?? ''),
    chargeFor(app, 'review', `${page.uuid} ${language ?? ''}`),
  ]
  if (!(await isWithin(app, tx, charges))) return
  const recipients = await selectUsersOf(tx, publishingRoles(ctx, page), user, maxRecipients)
  for (const recipient of recipients)
    await queuePageMail(ctx, tx, page, recipient, 'reviewRequested', { note, language })
}

/** Sends a mail about the end of a review to the account that requested it. */
export async function notifyRequester(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  requester: string | null,
  template: 'reviewReturned' | 'reviewAccepted',
  { note = '', language }: { note?: string; language: string | undefined },
): Promise<void> {
  const recipient = requester === null ? undefined : await selectActiveUser(tx, requester)
  if (recipient) await queuePageMail(ctx, tx, page, recipient, template, { note, language })
}

/** Queues a mail about what the actor did with the page. */
export async function queuePageMail(
  ctx: Context,
  tx: Tx,
  page: PageRow,
  { id, email, language }: { id: string; email: string; language: string },
  template: 'reviewRequested' | 'reviewReturned' | 'reviewAccepted' | 'mentioned',
  about: { note: string; language?: string | undefined; comment?: string },
): Promise<void> {
  const { app } = ctx
  const data: MailData['reviewRequested'] = {
    title: titleOfPage(app, page),
    name: nameOf(ctx, language),
    note: about.note,
    path: page.path,
    ...(about.language !== undefined && { language: about.language }),
    ...(about.comment !== undefined && { comment: about.comment }),
  }
  await queueMail(app, tx, { to: email, language, user: id, template, data })
}

/** The name of the actor, or the title of the role: the reader may not be allowed to see the address. */
function nameOf({ app, actor }: Context, language: string): string {
  if (actor.system || actor.isAnonymous) return ''
  const { name, role } = actor.user
  return name || inLanguage(app.blueprints.role(role)?.title ?? role, language)
}
