import type { Cause, Visitor } from '../actor.ts'

export type EventName =
  | 'auth.login.ok'
  | 'auth.login.challenge'
  | 'auth.login.fail'
  | 'auth.login.throttled'
  | 'auth.mfa.ok'
  | 'auth.mfa.fail'
  | 'auth.logout'
  | 'auth.reauth.ok'
  | 'auth.session.expired'
  | 'auth.session.evicted'
  | 'auth.session.revoked'
  | 'auth.password.changed'
  | 'auth.password.reset.requested'
  | 'auth.password.reset.done'
  | 'auth.password.disabled'
  | 'auth.factor.added'
  | 'auth.factor.removed'
  | 'auth.factor.disabled'
  | 'auth.factor.renamed'
  | 'auth.factor.used-recovery'
  | 'auth.passkey.counter-signal'
  | 'auth.token.created'
  | 'auth.token.revoked'
  | 'auth.token.first-used'
  | 'auth.email.requested'
  | 'auth.email.changed'
  | 'auth.csrf.denied'
  | 'auth.permission.denied'
  | 'auth.epoch.bumped'
  | 'auth.throttle.cleared'
  | 'system.crypto.failed'
  | 'system.installed'
  | 'system.install.fail'
  | 'system.webhook.changed'
  | 'system.cache.purged'
  | 'system.extension.run'
  | 'user.changed'
  | 'user.created'
  | 'user.invited'
  | 'user.activated'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.deleted'
  | 'user.restored'
  | 'page.created'
  | 'page.changed'
  | 'page.published'
  | 'page.status'
  | 'page.slug'
  | 'page.moved'
  | 'page.deleted'
  | 'page.restored'
  | 'page.review'
  | 'page.comment'
  | 'preview.created'
  | 'preview.revoked'
  | 'release.created'
  | 'release.changed'
  | 'release.scheduled'
  | 'release.held'
  | 'release.published'
  | 'release.deleted'
  | 'site.changed'
  | 'site.imported'
  | 'file.created'
  | 'file.changed'
  | 'file.replaced'
  | 'file.renamed'
  | 'file.moved'
  | 'file.deleted'
  | 'file.restored'
  | 'trash.deleted'
  | 'language.created'
  | 'language.changed'
  | 'language.deleted'

export type AuditDetail = Record<string, string | number | boolean | readonly string[]>

export interface AuditEvent {
  event: EventName
  /** The acting account; absent for anonymous clients, and for the system unless it acts on behalf of an account. */
  actor?: string | undefined
  /** What the event is about: the id of an account, or the URI of a page, file, release or the site. */
  subject?: string | undefined
  session?: string | undefined
  visitor?: Visitor | undefined
  /** The extension whose code acts. */
  extension?: string | undefined
  /** Its code acts for the account, but with every permission. */
  asSystem?: boolean | undefined
  /** Why the extension acts, if an event is the reason. */
  cause?: Cause | undefined
  /**
   * Reason codes, numbers, and names and paths of content. Never a password, a code of a second factor, a token or the value of a
   * field: events are kept for long and read by administrators.
   */
  detail?: AuditDetail
}
