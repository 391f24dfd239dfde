import { t } from '../texts/texts.ts'
import { toast } from '../ui/toast.ts'
import { errorText, hasKey } from './errors.ts'

interface Undo {
  /** What was done. */
  title: string
  text?: string | undefined
  /** Whether it is still as it was done. Left out if `undo` is refused after another change. */
  isCurrent?: () => Promise<boolean>
  undo: () => Promise<unknown>
  /** Shown after it was undone. */
  undone: string
}

const toastFailed = (reason: string) => toast({ tone: 'danger', title: t('undo.failed'), text: reason })

/** Shows what was done, with a button that undoes it. If that is no longer possible, it says why. */
export function toastWithUndo({ title, text, isCurrent, undo, undone }: Undo): void {
  async function run() {
    try {
      if (isCurrent && !(await isCurrent())) return toastFailed(t('undo.late'))
      await undo()
      toast({ tone: 'good', title: undone })
    } catch (error) {
      const isLate = hasKey(error, 'content.changed', 'page.notFound')
      toastFailed(isLate ? t('undo.late') : errorText(error))
    }
  }
  toast({ tone: 'good', title, text, action: { text: t('undo.do'), onSelect: () => void run() } })
}
