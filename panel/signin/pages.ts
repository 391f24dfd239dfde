import { base } from '../app/base.ts'

/**
 * Pages that links in e-mails or in the terminal lead to. Their token is in the fragment (`#`), which browsers do not
 * send to the server.
 */
const linkPages = ['install', 'reset', 'invite', 'email'] as const
export type LinkPage = (typeof linkPages)[number]

export function linkPage(path = location.pathname): LinkPage | undefined {
  const name = path.slice(`${base}/panel/`.length)
  return linkPages.find(page => page === name)
}

/** Replaces the URL of the link by that of the panel, after the link was used. */
export function leaveLink(): void {
  history.replaceState(null, '', `${base}/panel/`)
}
