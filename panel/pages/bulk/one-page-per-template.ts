import { useQuery } from '@tanstack/react-query'
import { client } from '../../app/client.ts'
import { keys } from '../../app/query.ts'
import { toId } from '../id.ts'
import type { Status } from '../page.ts'
import { statusName } from '../status-mark.tsx'
import type { SelectedPage } from './use-bulk-operation.ts'

const select = { blueprint: ['status', 'title'], blueprints: '', template: '' } as const

/** One page of each template that is selected, for the choices of the dialogs. */
export function useOnePagePerTemplate(pages: readonly SelectedPage[], language: string | undefined) {
  const ids = [...new Map(pages.map(({ template, id }) => [template, toId(id)])).values()]
  return useQuery({
    queryKey: [...keys.pages, 'one-page-per-template', language, ids],
    queryFn: async () => Promise.all(ids.map(id => client.pages.get({ id, language, select }))),
  })
}

const order: readonly Status[] = ['draft', 'unlisted', 'listed']

/** Every status of any selected template. It has the name of the blueprints if they agree. */
export const statusesOf = ({ data = [] }: ReturnType<typeof useOnePagePerTemplate>) =>
  order.flatMap(status => {
    const found = data.flatMap(({ blueprint }) => blueprint.status?.[status] ?? [])
    const [first] = found
    if (!first) return []
    const isSame = found.every(({ label }) => label === first.label)
    return [{ value: status, text: isSame ? first.label : statusName(status) }]
  })
