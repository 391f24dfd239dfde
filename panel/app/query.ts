import {
  focusManager,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  MutationCache,
  type Query,
  QueryClient,
} from '@tanstack/react-query'
import { QuoinError } from '../../client/client.ts'

/** Reports errors of mutations to the user. Set by the shell when it is rendered. */
let report: (error: unknown) => void = () => {}
export const setErrorReporter = (show: (error: unknown) => void): void => void (report = show)

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** The screen shows the error itself. */
      handlesError?: boolean
    }
  }
}

// Refetch on window focus. The default of react-query listens only to `visibilitychange`, and misses a window that was
// covered by another one.
focusManager.setEventListener(setFocused => {
  const updateFocus = () => setFocused()
  addEventListener('focus', updateFocus)
  document.addEventListener('visibilitychange', updateFocus)
  return () => {
    removeEventListener('focus', updateFocus)
    document.removeEventListener('visibilitychange', updateFocus)
  }
})

/** Retry only temporary errors. The client has already retried those with `Retry-After`. */
const isTemporary = (error: unknown) =>
  !(error instanceof QuoinError) || (error.status >= 500 && error.retryAfter === undefined)

/**
 * A query that is invalidated while it is loading for the first time is loaded again afterwards: the answer may be from
 * before the change. The library itself does this only for queries that have data.
 */
class PanelQueryClient extends QueryClient {
  readonly #loadingAgain = new Set<Query>()

  override invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    const loading = this.getQueryCache().findAll({ ...filters, type: 'active', fetchStatus: 'fetching' })
    for (const query of loading) if (query.state.data === undefined) void this.#loadAgain(query)
    return super.invalidateQueries(filters, options)
  }

  async #loadAgain(query: Query): Promise<void> {
    if (this.#loadingAgain.has(query)) return
    this.#loadingAgain.add(query)
    try {
      await query.promise
      await super.invalidateQueries({ queryKey: query.queryKey, exact: true })
    } catch {
      // The screen shows the error of the first load.
    } finally {
      this.#loadingAgain.delete(query)
    }
  }
}

export const queryClient = new PanelQueryClient({
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => {
      if (mutation.meta?.handlesError !== true) report(error)
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 10 * 60_000,
      retry: (count, error) => count < 2 && isTemporary(error),
      // Wait for a connection instead of failing.
      networkMode: 'online',
    },
    mutations: { retry: false },
  },
})

/**
 * Query keys. Related queries share a prefix: `invalidateQueries({ queryKey: keys.page(id) })` also invalidates its
 * backlinks (`keys.page(id, 'backlinks')`). Children and files have prefixes of their own, see `refreshPages`.
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
  search: (term: string, ...rest: unknown[]) => ['search', term, ...rest],
} as const

/** Reloads the lists that show the state of pages. */
export async function refreshLists(): Promise<void> {
  await Promise.all([['children'], ['sections']].map(queryKey => queryClient.invalidateQueries({ queryKey })))
}
