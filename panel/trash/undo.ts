import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { keys } from '../app/query.ts'
import { t } from '../texts/texts.ts'
import { toast } from '../ui/toast.ts'
import { restore } from './entry.ts'

/** Number of days that deleted items can be restored; 0 without a trash, undefined until loaded. */
export function useTrashDays(): number | undefined {
  const { data } = useQuery({
    queryKey: [...keys.system, 'trashDays'],
    queryFn: async () => {
      const system = await client.system.get({ select: ['trashDays'] })
      return 'trashDays' in system ? system.trashDays : 0
    },
    staleTime: Infinity,
  })
  return data
}

/** Shows a toast about a deletion with an undo button. `uuid` is `page://…`, `file://…` or `user://…`. */
export function useDeletedToast() {
  const navigate = useNavigate()
  const days = useTrashDays()
  const go = (to: string) => void navigate({ to })

  async function undoDeletion(uuid: string, title: string): Promise<void> {
    try {
      const { data } = await client.site.trash.list({ uuid, limit: 1, select: ['id'] })
      const { link } = await restore(data[0]?.id ?? '')
      const open = { text: t('trash.open'), onSelect: () => go(link) }
      toast({ tone: 'good', title: t('trash.restored', { title }), action: open })
    } catch (error) {
      const show = { text: t('trash.show'), onSelect: () => go('/trash') }
      toast({ tone: 'danger', title: t('trash.undo.failed', { title }), text: errorText(error), action: show })
    }
  }

  return (text: string, { uuid, title }: { uuid: string; title: string }) => {
    const undo = { text: t('undo.do'), onSelect: () => void undoDeletion(uuid, title) }
    toast({ tone: 'good', title: text, ...(days !== 0 && { action: undo }) })
  }
}
