import { useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { type ListView, readView } from './list-view.ts'

/** A view of a list in the settings of the account. */
export interface SavedView {
  /** Its name in the settings. */
  id: string
  name: string
  view: ListView
}

/** The settings with this prefix are views. */
export const viewPrefix = 'view:'
const queryKey = ['settings']

/** The views of one list that the user has saved, by name. */
export function useViews(place: string) {
  const queryClient = useQueryClient()
  const { data = {} } = useQuery({ queryKey, queryFn: () => client.users.settings.get({ id: 'account' }) })
  return {
    views: Object.entries(data)
      .flatMap(([id, value]) => viewsIn(id, value, place))
      .toSorted((a, b) => a.name.localeCompare(b.name)),
    /** Saves or deletes (`null`) views. Others stay as they are, also if another window has changed them. */
    change: async (changes: Record<string, unknown>) => {
      queryClient.setQueryData(queryKey, await client.users.settings.change({ id: 'account' }, changes))
    },
  }
}

function viewsIn(id: string, value: unknown, place: string): SavedView[] {
  if (!id.startsWith(viewPrefix) || typeof value !== 'object' || value === null) return []
  const { place: of, name, view } = value as Record<string, unknown>
  if (of !== place || typeof name !== 'string' || typeof view !== 'object' || view === null) return []
  return [{ id, name, view: readView(view as Record<string, unknown>) }]
}
