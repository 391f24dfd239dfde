import { focusManager, MutationCache, QueryClient } from '@tanstack/react-query'
import { QuoinError } from '../../client/client.ts'

/** Who tells people what went wrong; the shell, once it stands. */
let report: (error: unknown) => void = () => {}
export const onFailure = (tell: (error: unknown) => void): void => void (report = tell)

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The screen says itself what went wrong. */
      quiet?: boolean
    }
  }
}

// Whoever comes back to the window sees what has changed meanwhile; the default misses a window that was only covered by another.
focusManager.setEventListener(setFocused => {
  const look = () => setFocused()
  addEventListener('focus', look)
  document.addEventListener('visibilitychange', look)
  return () => {
    removeEventListener('focus', look)
    document.removeEventListener('visibilitychange', look)
  }
})

/** The client itself has tried again already where the server said when. */
const mayPass = (error: unknown) =>
  !(error instanceof QuoinError) || (error.status >= 500 && error.retryAfter === undefined)

export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (mutation.meta?.quiet !== true) report(error)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      retry: (count, error) => count < 2 && mayPass(error),
      // Kept until there is a connection, rather than failing.
      networkMode: 'online',
    },
    mutations: { retry: false },
  },
})

/**
 * Names of what is known. What belongs together begins alike: `invalidateQueries({ queryKey: keys.page(id) })` reaches its
 * children, files and changes, too.
 */
export const keys = {
  system: ['system'],
  site: ['site'],
  pages: ['pages'],
  page: (id: string, ...rest: unknown[]) => ['pages', id, ...rest],
  children: (parent: string, ...rest: unknown[]) => ['children', parent, ...rest],
  files: (parent: string, ...rest: unknown[]) => ['files', parent, ...rest],
  users: ['users'],
  user: (id: string, ...rest: unknown[]) => ['users', id, ...rest],
  roles: ['roles'],
  languages: ['languages'],
  translations: ['translations'],
  search: (words: string, ...rest: unknown[]) => ['search', words, ...rest],
} as const
