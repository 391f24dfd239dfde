import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useRouter, useRouterState } from '@tanstack/react-router'
import { FileText, Keyboard, LogOut, Moon, Sun, User, UserRound, Zap } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { can, signOut, useSession } from '../app/session.ts'
import { destinationsFor } from '../app/shell/destinations.ts'
import { setTheme } from '../app/theme.ts'
import { iconOfFileType } from '../files/thumb.tsx'
import { toId } from '../pages/id.ts'
import type { PageState } from '../pages/state-marks.tsx'
import type { statusTone } from '../pages/status-mark.tsx'
import { t } from '../texts/texts.ts'
import type { Icon } from '../ui/icon.ts'
import { currentPaletteActions } from './palette-actions.ts'
import { type Excerpt, useExcerpts } from './excerpt.ts'
import { type CheckedRecentPage, checkRecent, recent } from './recent.ts'
import { beginningsOf, matchesWithTypos } from './typos.ts'

export interface SearchResult {
  key: string
  text: string
  info?: string | undefined
  icon: Icon
  /** Shown in place of the icon. */
  image?: string | undefined
  page?: { status: keyof typeof statusTone; state: PageState } | undefined
  /** Of a page: where its content has the word. */
  excerpt?: Excerpt | undefined
  run: () => void
}

export interface ResultGroup {
  name: string
  results: SearchResult[]
}

const maxPerGroup = 6

/** The results for a search term, in groups; without a term, recent pages. */
export function useResults(
  searchTerm: string,
  onShortcuts: () => void,
): { groups: ResultGroup[]; isPending: boolean; isSettled: boolean } {
  const { user } = useSession()
  const go = useGo()
  const { code: language } = useContentLanguage()
  const term = searchTerm.trim()
  const page = useRouterState({ select: ({ location }) => /\/pages\/([^/]+)/.exec(location.pathname)?.[1] })
  const commands = useCommands(onShortcuts)
  // The recent pages as of the opening of the palette.
  const [last] = useState(() => recent().filter(({ link }) => link !== `/pages/${page ?? ''}`))
  const { data: checked } = useQuery({
    queryKey: ['recent', language, ...last.map(({ link }) => link)],
    queryFn: () => checkRecent(last, language),
    staleTime: 0,
    enabled: last.length > 0,
  })
  const found = useQuery({
    queryKey: keys.search(term, language),
    queryFn: () => find(term, language, can(user, 'access.users')),
    enabled: term !== '',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })

  const recents: readonly CheckedRecentPage[] = checked ?? last
  const excerpts = useExcerpts(term, language, maxPerGroup)
  const matchingCommands = (matches: (query: string, text: string) => boolean) =>
    commands.filter(({ text, info }) => matches(term, `${text} ${info ?? ''}`))
  const exact = matchingCommands(matchesQuery)
  const matching = exact.length > 0 ? exact : matchingCommands(matchesWithTypos)
  const groups =
    term === ''
      ? [
          {
            name: t('search.recent'),
            results: recents.map(({ link, title, page: marks }) => ({
              key: link,
              text: title,
              page: marks,
              info: link.replace(/^\/pages/, '').replaceAll('+', '/'),
              icon: FileText,
              run: () => go(link),
            })),
          },
          { name: t('search.actions'), results: commands },
        ]
      : [
          {
            name: t('search.pages'),
            results: (found.data?.pages ?? []).map(({ id, title, status, state }) => ({
              key: `page ${id}`,
              text: title,
              info: `/${id}`,
              page: { status, state },
              excerpt: excerpts.get(id),
              icon: FileText,
              run: () => go(`/pages/${toId(id)}`),
            })),
          },
          {
            name: t('search.files'),
            results: (found.data?.files ?? []).map(({ uuid, filename, link, parent, thumbs, type }) => ({
              key: uuid,
              text: filename,
              info: parent.title,
              icon: iconOfFileType(type),
              image: thumbs?.['tiny'],
              run: () => go(link),
            })),
          },
          {
            name: t('search.users'),
            results: (found.data?.users ?? []).map(({ id, email, name }) => ({
              key: `user ${id}`,
              text: name || email,
              info: name ? email : undefined,
              icon: User,
              run: () => go(`/users/${id}`),
            })),
          },
          { name: t('search.actions'), results: matching },
        ]
  return {
    groups: groups.filter(({ results }) => results.length > 0),
    isPending: term !== '' && found.isPending,
    isSettled: term === '' || (!found.isPlaceholderData && !found.isPending),
  }
}

const matchesQuery = (query: string, text: string) => {
  const all = text.toLocaleLowerCase()
  return query
    .toLocaleLowerCase()
    .split(/\s+/)
    .every(word => all.includes(word))
}

/** Navigates to a panel path from the API, and preserves the content language. */
function useGo(): (link: string) => void {
  const router = useRouter()
  const { code } = useContentLanguage()
  const navigate = useNavigate()
  return link => void navigate({ href: router.basepath + link + (code === undefined ? '' : `?language=${code}`) })
}

function useCommands(onShortcuts: () => void): SearchResult[] {
  const { user } = useSession()
  const go = useGo()
  const offered = currentPaletteActions().map(({ text, subject, icon = Zap, run }, index) => ({
    key: `action ${index}`,
    text,
    info: subject,
    icon,
    run,
  }))
  const places = destinationsFor(user).map(({ to, text, icon }) => ({
    key: to,
    text: t('search.goTo', { place: text }),
    icon,
    run: () => go(to),
  }))
  return [
    ...offered,
    ...places,
    ...(can(user, 'access.account')
      ? [{ key: 'account', text: t('app.account'), icon: UserRound, run: () => go('/account') }]
      : []),
    { key: 'shortcuts', text: t('shortcuts.title'), info: '?', icon: Keyboard, run: onShortcuts },
    { key: 'light', text: t('search.light'), icon: Sun, run: () => setTheme('light') },
    { key: 'dark', text: t('search.dark'), icon: Moon, run: () => setTheme('dark') },
    { key: 'out', text: t('app.signOut'), icon: LogOut, run: () => void signOut() },
  ]
}

async function find(q: string, language: string | undefined, canViewUsers: boolean) {
  const [pages, users, files] = await Promise.all([
    findPages(q, language),
    canViewUsers
      ? client.users.search({ q, limit: maxPerGroup, select: ['id', 'email', 'name'] }).catch(() => undefined)
      : undefined,
    client.site.searchFiles({
      q,
      limit: maxPerGroup,
      language,
      select: { filename: '', link: '', parent: ['title'], thumbs: '', type: '', uuid: '' },
    }),
  ])
  return { pages, users: users?.data ?? [], files: files.data }
}

/** Pages whose title is similar, if no page matches the search term. */
async function findPages(q: string, language: string | undefined) {
  const search = async (query: string, limit: number) =>
    (await client.site.search({ q: query, limit, language, select: ['id', 'title', 'status', 'state'] })).data
  const pages = await search(q, maxPerGroup)
  if (pages.length > 0) return pages
  for (const beginnings of beginningsOf(q)) {
    const similar = (await search(beginnings, 100)).filter(({ title }) => matchesWithTypos(q, title))
    if (similar.length > 0) return similar.slice(0, maxPerGroup)
  }
  return pages
}
