import { useQuery } from '@tanstack/react-query'
import { client } from '../../app/client.ts'
import { keys } from '../../app/query.ts'
import { toId } from '../id.ts'
import type { SelectedPage } from './run.ts'

const select = { blueprint: ['status', 'title'], blueprints: '', template: '' } as const

/** One page of each template that is selected, for the choices of the dialogs. */
export function useSamples(pages: readonly SelectedPage[], language: string | undefined) {
  const ids = [...new Map(pages.map(({ template, id }) => [template, toId(id)])).values()]
  const { data } = useQuery({
    queryKey: [...keys.pages, 'samples', language, ids],
    queryFn: async () => Promise.all(ids.map(id => client.pages.get({ id, language, select }))),
  })
  return data
}
