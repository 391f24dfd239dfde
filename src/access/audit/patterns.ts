import type { EventName } from './names.ts'

/** Events that can be subscribed to: of content, languages and accounts; never of sign-in and security. */
export const contentEvents = [
  'page.created', 'page.changed', 'page.published', 'page.status', 'page.slug', 'page.moved', 'page.deleted', 'page.restored',
  'file.created', 'file.changed', 'file.replaced', 'file.renamed', 'file.moved', 'file.deleted', 'file.restored',
  'site.changed', 'site.imported',
  'language.created', 'language.changed', 'language.deleted',
  'user.created', 'user.invited', 'user.activated', 'user.changed', 'user.disabled', 'user.enabled', 'user.deleted', 'user.restored',
  'trash.deleted',
] as const satisfies readonly EventName[] // prettier-ignore

export type ContentEvent = (typeof contentEvents)[number]

/** `page.published`, `page.*` or `*` */
export const matchesPattern = (event: string, pattern: string): boolean =>
  pattern === '*' || (pattern.endsWith('.*') ? event.startsWith(pattern.slice(0, -1)) : event === pattern)

/** Whether there is an event to subscribe to that the pattern matches. */
export const isEventPattern = (pattern: string): boolean => contentEvents.some(event => matchesPattern(event, pattern))
