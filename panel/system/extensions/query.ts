import { useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../../app/client.ts'

export type Extension = Awaited<ReturnType<typeof list>>[number]
export type ExtensionRun = Extension['runs'][number]

const list = async () =>
  (await client.system.extensions.list({ limit: 1000, select: ['name', 'on', 'jobs', 'waiting', 'failed', 'runs'] }))
    .data

const key = ['extensions']

/** The extensions and their last runs. Read again soon while one of them waits for its first attempt. */
export function useExtensions() {
  return useQuery({
    queryKey: key,
    queryFn: list,
    refetchInterval: ({ state }) => (state.data?.some(({ runs }) => runs.some(isFresh)) ? 1000 : 10_000),
  })
}

const isFresh = ({ state, attempts, problem }: ExtensionRun) => state === 'waiting' && attempts < 2 && problem === null

/** Reads extensions and runs again. */
export function useRefreshExtensions() {
  const queryClient = useQueryClient()
  return () => void queryClient.invalidateQueries({ queryKey: key })
}
