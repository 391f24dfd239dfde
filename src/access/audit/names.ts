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

export interface Event {
  event: EventName
  /** The acting account; absent for unauthenticated clients and for the command line. */
  actor?: string | undefined
  /** The account that the event is about. */
  subject?: string | undefined
  session?: string | undefined
  visitor?: Visitor | undefined
  /** The extension whose code acts. */
  extension?: string | undefined
  /** Its code acts for the account, but with every permission. */
  asSystem?: boolean | undefined
  /** Why the extension acts, if an event is the reason. */
  cause?: Cause | undefined
  /** Codes, numbers, and names and paths of content: never a password, code, token, content or other user input. */
  detail?: AuditDetail
}
