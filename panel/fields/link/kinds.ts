/** Kinds of link targets. */
export type LinkKind = 'url' | 'page' | 'file' | 'email' | 'tel' | 'anchor' | 'custom'

interface Description {
  begin: RegExp
  prefix: string
  text: string
  example?: string
}

export const linkKinds: Readonly<Record<LinkKind, Description>> = {
  url: { begin: /^(?:https?|ftp):\/\//i, prefix: '', text: 'fields.link.url', example: 'https://example.com' },
  page: { begin: /^(?:page:\/\/|\/@\/page\/)/, prefix: 'page://', text: 'fields.link.page' },
  file: { begin: /^(?:file:\/\/|\/@\/file\/)/, prefix: 'file://', text: 'fields.link.file' },
  email: { begin: /^mailto:/i, prefix: 'mailto:', text: 'fields.link.email', example: 'mail@example.com' },
  tel: { begin: /^tel:/i, prefix: 'tel:', text: 'fields.link.tel', example: '+49123456789' },
  anchor: { begin: /^#/, prefix: '#', text: 'fields.link.anchor', example: 'contact' },
  custom: { begin: /^/, prefix: '', text: 'fields.link.custom' },
}

export const defaultKinds: readonly LinkKind[] = ['url', 'page', 'file', 'email', 'tel', 'anchor']

/** Undefined for an empty link. */
export const kindOf = (link: string): LinkKind | undefined =>
  link === '' ? undefined : (defaultKinds.find(kind => linkKinds[kind].begin.test(link)) ?? 'custom')

/** `page://…` or `file://…`, also from a permalink; undefined for other links. */
export function referenceOf(link: string): string | undefined {
  const kind = kindOf(link)
  if (kind !== 'page' && kind !== 'file') return undefined
  return link.replace(linkKinds[kind].begin, linkKinds[kind].prefix).replace(/[?#].*/s, '')
}

/** The form of a reference in texts: `/@/page/…`. */
export const permalinkOf = (link: string): string => link.replace(/^(page|file):\/\//, '/@/$1/')

/**
 * Completes `example.com` to a URL and `ida@example.com` to a `mailto:` link. Unknown schemes such as `javascript:`
 * give an empty link.
 */
export function completeLink(link: string): string {
  if (link === '' || /^(?:https?:|ftp:|mailto:|tel:|page:|file:|#|\/(?!\/))/i.test(link)) return permalinkOf(link)
  if (/^[a-z][a-z\d+.-]*:/i.test(link) && !/^[\w-]+(?:\.[\w-]+)+:\d|^localhost:\d/i.test(link)) return ''
  if (/^[^\s@/]+@[^\s@/]+\.[^\s@/]+$/.test(link)) return `mailto:${link}`
  return /^[\w-]+(?:\.[\w-]+)+/.test(link) ? `https://${link}` : link
}
