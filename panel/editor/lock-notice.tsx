import { Lock } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '../app/errors.ts'
import { formatAgo, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'
import type { Draft } from './draft-state.ts'

/** Someone else has the edit lock: the content is read-only, and the user may take over. */
export function LockNotice({ draft, onTaken }: { draft: Draft; onTaken: () => void }) {
  const lock = draft.use(state => state.lock)
  const changed = draft.use(state => state.changed)
  const openField = draft.use(state => state.openField)
  const [isAsking, setAsking] = useState(false)
  if (!lock) return null
  const name = lock.user?.username || t('editor.lock.someone')
  const { saved } = lock
  const text =
    saved && openField !== undefined
      ? t('editor.lock.lost.open')
      : saved && changed.length === 0
        ? t(saved === 'draft' ? 'editor.lock.lost.draft' : 'editor.lock.lost.history', { name })
        : changed.length > 0
          ? t('editor.lock.mine')
          : t('editor.lock.text', { ago: lock.time ? formatAgo(lock.time) : '' })
  return (
    <div className="pb-5">
      <Notice
        live
        tone="warn"
        icon={Lock}
        title={t(saved ? 'editor.lock.lost' : 'editor.lock.title', { name })}
        action={
          <Button size="small" onClick={() => setAsking(true)}>
            {t('editor.lock.take')}
          </Button>
        }
      >
        {text}
      </Notice>
      <ConfirmDialog
        open={isAsking}
        title={t('editor.lock.ask', { name })}
        confirm={t('editor.lock.take')}
        onClose={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false)
          draft.takeOver().then(
            () => {
              toast({ tone: 'good', title: t('editor.lock.taken'), text: t('editor.lock.taken.text', { name }) })
              onTaken()
            },
            (error: unknown) => toast({ tone: 'danger', title: errorText(error) }),
          )
        }}
      >
        <p>{t('editor.lock.asked', { name })}</p>
      </ConfirmDialog>
    </div>
  )
}
