import { base } from '../app/base.ts'

/** Pages that a link in a mail or in the terminal leads to. What it proves stands behind `#`, where no server sees it. */
const linkPages = ['install', 'reset', 'invite', 'email'] as const
export type LinkPage = (typeof linkPages)[number]

export function linkPage(path = location.pathname): LinkPage | undefined {
  const name = path.slice(`${base}/panel/`.length)
  return linkPages.find(page => page === name)
}

/** What the link was for is done: the address is that of the panel again. */
export function leaveLink(): void {
  history.replaceState(null, '', `${base}/panel/`)
}
