import type { EventName } from '../../../access/audit/audit.ts'
import { contentEvents, matchesPattern } from '../../../access/audit/patterns.ts'

/** `page.published` → `page` */
export const kindOf = (event: string): string => event.slice(0, event.indexOf('.'))

/**
 * The events of the feed. Failed sign-ins, refusals and other security events are not among them: the list of events of
 * an account has those.
 */
export const feedEvents: readonly EventName[] = [
  ...contentEvents, 'page.review', 'page.comment',
  'auth.login.ok', 'auth.logout', 'auth.token.created', 'auth.token.revoked',
  'auth.password.changed', 'auth.email.changed', 'auth.factor.added', 'auth.factor.removed',
  'preview.created', 'preview.revoked',
  'release.created', 'release.changed', 'release.scheduled', 'release.held', 'release.published', 'release.deleted',
] // prettier-ignore

/** Without a filter. The panel creates a preview pass for every page that it previews: these would hide the changes. */
export const defaultEvents = feedEvents.filter(event => kindOf(event) !== 'preview')

export interface EventPatterns {
  /** Every name that matches. */
  names: readonly string[]
  /** Set if the pattern is `page.*` alone. */
  kind?: string
}

/** `page.published,file.*` → the names that match; undefined if a part matches none. */
export function readPatterns(text: string): EventPatterns | undefined {
  const patterns = text.split(',')
  const found = patterns.map(pattern => feedEvents.filter(event => matchesPattern(event, pattern)))
  if (found.some(names => names.length === 0)) return undefined
  const [first] = patterns as [string]
  return {
    names: [...new Set(found.flat())],
    ...(patterns.length === 1 && /^[a-z]+\.\*$/.test(first) && { kind: kindOf(first) }),
  }
}
