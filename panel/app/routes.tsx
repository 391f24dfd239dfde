import { createRootRoute, createRoute, lazyRouteComponent, redirect, retainSearchParams } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import type { AccountTab } from '../account/screen.tsx'
import { sectionsOf } from '../editor/blueprint.ts'
import { preloadTypes } from '../fields/preload.ts'
import { readFilter } from '../library/filter.ts'
import { pageQuery } from '../pages/page-query.ts'
import { contentLanguage } from './content-language.ts'
import { loadPageScreen } from './load-page.ts'
import { loadTexts } from './load-texts.ts'
import { queryClient } from './query.ts'
import { session } from './session.ts'
import { destinationsFor } from './shell/destinations.ts'
import { ErrorScreen, NotFound } from './shell/states.tsx'
import { Shell } from './shell/shell.tsx'

/** A lazy screen with its texts. */
const screen = <Name extends string>(load: () => Promise<Record<Name, ComponentType>>, name: Name) =>
  lazyRouteComponent(async () => (await Promise.all([load(), loadTexts()]))[0], name)

const searchNames = ['language', 'tab', 'comment', 'list', 'status', 'template', 'state', 'words'] as const

/** Every screen of the panel. Their code is loaded on navigation, or shortly before. */
const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ErrorScreen,
  /**
   * `language`: the content language, which persists across screens; `tab`: the open tab of a form; `comment`: the
   * thread to show; `list`: the section to which the filters `status`, `template`, `state` and `words` apply.
   */
  validateSearch: (search): Partial<Record<(typeof searchNames)[number], string>> =>
    Object.fromEntries(
      searchNames.flatMap(name =>
        ['string', 'number'].includes(typeof search[name]) ? [[name, String(search[name])]] : [],
      ),
    ),
  search: { middlewares: [retainSearchParams(['language'])] },
})

const underRoot = { getParentRoute: () => root }

const start = createRoute({
  ...underRoot,
  path: '/',
  beforeLoad: () => {
    const state = session.get()
    const first = state.status === 'in' ? destinationsFor(state.user)[0] : undefined
    throw redirect({ to: (first?.to ?? '/account') as '/account', replace: true })
  },
})

/** A common URL of sign-in forms. A signed-in user is redirected. */
const login = createRoute({
  ...underRoot,
  path: '/login',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true })
  },
})

const today = createRoute({
  ...underRoot,
  path: '/today',
  component: screen(() => import('../today/screen.tsx'), 'TodayScreen'),
})

const site = createRoute({
  ...underRoot,
  path: '/site',
  component: screen(() => import('../site/screen.tsx'), 'SiteScreen'),
})

async function loadPage(id: string, code: string | undefined): Promise<void> {
  const query = pageQuery(id, code)
  await queryClient.prefetchQuery(query)
  const [tab] = queryClient.getQueryData(query.queryKey)?.blueprint.tabs ?? []
  if (tab) preloadTypes(sectionsOf(tab).flatMap(({ fields = {} }) => Object.values(fields).map(({ type }) => type)))
}

/** `:id` has `+` in place of each slash: `/pages/notes+first`. */
const page = createRoute({
  ...underRoot,
  path: '/pages/$id',
  // Reads the page while the code of its screen loads.
  loaderDeps: ({ search }) => ({ language: contentLanguage(search.language) }),
  loader: ({ params, deps }) => void loadPage(params.id, deps.language?.code),
  component: screen(loadPageScreen, 'PageScreen'),
})

const file = screen(() => import('../files/screen.tsx'), 'FileScreen')
const files = screen(() => import('../files/files.tsx'), 'FilesScreen')
const siteFiles = createRoute({ ...underRoot, path: '/site/files', component: files })
const pageFiles = createRoute({ ...underRoot, path: '/pages/$id/files', component: files })
const userFiles = createRoute({ ...underRoot, path: '/users/$id/files', component: files })
const siteFile = createRoute({ ...underRoot, path: '/site/files/$filename', component: file })
const pageFile = createRoute({ ...underRoot, path: '/pages/$id/files/$filename', component: file })
const userFile = createRoute({ ...underRoot, path: '/users/$id/files/$filename', component: file })

const library = createRoute({
  ...underRoot,
  path: '/files',
  validateSearch: readFilter,
  component: screen(() => import('../library/screen.tsx'), 'LibraryScreen'),
})

const users = createRoute({
  ...underRoot,
  path: '/users',
  component: screen(() => import('../users/screen.tsx'), 'UsersScreen'),
})
const user = createRoute({
  ...underRoot,
  path: '/users/$id',
  component: screen(() => import('../users/user.tsx'), 'UserScreen'),
})
const roles = createRoute({
  ...underRoot,
  path: '/roles',
  component: screen(() => import('../roles/screen.tsx'), 'RolesScreen'),
})
const account = createRoute({
  ...underRoot,
  path: '/account',
  validateSearch: (search): { tab?: AccountTab } => ('tab' in search ? { tab: search['tab'] as AccountTab } : {}),
  component: screen(() => import('../account/screen.tsx'), 'AccountScreen'),
})
const languages = createRoute({
  ...underRoot,
  path: '/languages',
  component: screen(() => import('../languages/screen.tsx'), 'LanguagesScreen'),
})
const language = createRoute({
  ...underRoot,
  path: '/languages/$code',
  component: screen(() => import('../languages/language.tsx'), 'LanguageScreen'),
})
/** Every component in every state, for developers. The published package has none. */
const gallery =
  import.meta.env.MODE === 'package'
    ? []
    : [
        createRoute({
          ...underRoot,
          path: '/ui',
          component: screen(() => import('../ui/gallery/gallery.tsx'), 'Gallery'),
        }),
      ]
const trash = createRoute({
  ...underRoot,
  path: '/trash',
  component: screen(() => import('../trash/screen.tsx'), 'TrashScreen'),
})
const activity = createRoute({
  ...underRoot,
  path: '/activity',
  component: screen(() => import('../activity/screen.tsx'), 'ActivityScreen'),
})
const system = createRoute({
  ...underRoot,
  path: '/system',
  component: screen(() => import('../system/screen.tsx'), 'SystemScreen'),
})

const webhooks = createRoute({
  ...underRoot,
  path: '/system/webhooks',
  component: screen(() => import('../webhooks/screen.tsx'), 'WebhooksScreen'),
})
const extensions = createRoute({
  ...underRoot,
  path: '/system/extensions',
  component: screen(() => import('../system/extensions/screen.tsx'), 'ExtensionsScreen'),
})
const redirects = createRoute({
  ...underRoot,
  path: '/site/redirects',
  component: screen(() => import('../redirects/screen.tsx'), 'RedirectsScreen'),
})

const releases = createRoute({
  ...underRoot,
  path: '/releases',
  component: screen(() => import('../releases/screen.tsx'), 'ReleasesScreen'),
})
const release = createRoute({
  ...underRoot,
  path: '/releases/$release',
  component: screen(() => import('../releases/release.tsx'), 'ReleaseScreen'),
})

const extensionScreen = createRoute({
  ...underRoot,
  path: '/extensions/$extension/$screen',
  component: screen(() => import('../extensions/screen.tsx'), 'ExtensionScreen'),
})

export const routes = root.addChildren([
  start,
  login,
  today,
  site,
  siteFiles,
  siteFile,
  redirects,
  releases,
  release,
  page,
  pageFiles,
  pageFile,
  library,
  users,
  user,
  userFiles,
  userFile,
  roles,
  account,
  languages,
  language,
  trash,
  activity,
  system,
  webhooks,
  extensions,
  extensionScreen,
  ...gallery,
])
