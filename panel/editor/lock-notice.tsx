import { Lock } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { presentUsers, handOverMessage } from '../activity/presence.ts'
import { errorText } from '../app/errors.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'
import type { Draft } from './draft-state.ts'

/** Someone else has the edit lock: the content is read-only, and the user may take over. */
export function LockNotice({ draft, link, onTaken }: { draft: Draft; link: string; onTaken: () => void }) {
  const lock = draft.use(state => state.lock)
  const changed = draft.use(state => state.changed)
  const openField = draft.use(state => state.openField)
  const [isKept, setKept] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const { canAsk, answer } = useAnswer(link, lock?.user?.id)
  const isWaiting = handOverMessage.use() === 'ask'

  function takeOver(name: string) {
    setAsking(false)
    // Asks until the draft is taken over, when this notice disappears: the former author reads the lock then.
    draft.takeOver().then(
      () => {
        toast({ tone: 'good', title: t('editor.lock.taken'), text: t('editor.lock.taken.text', { name }) })
        onTaken()
      },
      (error: unknown) => {
        handOverMessage.set(null)
        toast({ tone: 'danger', title: errorText(error) })
      },
    )
  }

  const answered = useEffectEvent(() => {
    if (!isWaiting) return
    if (answer === 'give') takeOver(lock?.user?.username || t('editor.lock.someone'))
    else if (answer === 'keep') {
      setKept(true)
      handOverMessage.set(null)
    }
  })
  useEffect(() => answered(), [answer])
  useEffect(() => () => handOverMessage.set(null), [])

  if (!lock) return null
  const name = lock.user?.username || t('editor.lock.someone')
  const { saved } = lock
  const text = isWaiting
    ? t('editor.lock.waiting', { name })
    : isKept
      ? t('editor.lock.kept', { name })
      : saved && openField !== undefined
        ? t('editor.lock.lost.open')
        : saved && changed.length === 0
          ? t(saved === 'draft' ? 'editor.lock.lost.draft' : 'editor.lock.lost.history', { name })
          : changed.length > 0
            ? t('editor.lock.mine')
            : t('editor.lock.text', { ago: lock.time ? formatRelativeTime(lock.time) : '' })
  return (
    <div className="pb-5">
      <Notice
        live
        tone="warn"
        icon={Lock}
        title={t(saved ? 'editor.lock.lost' : 'editor.lock.title', { name })}
        action={
          <>
            {canAsk && !isWaiting && (
              <Button
                size="small"
                variant="primary"
                onClick={() => {
                  setKept(false)
                  handOverMessage.set('ask')
                }}
              >
                {t('editor.lock.request', { name })}
              </Button>
            )}
            <Button size="small" onClick={() => setAsking(true)}>
              {t('editor.lock.take')}
            </Button>
          </>
        }
      >
        {text}
      </Notice>
      <ConfirmDialog
        open={isAsking}
        title={t('editor.lock.ask', { name })}
        confirm={t('editor.lock.take')}
        onClose={() => setAsking(false)}
        onConfirm={() => takeOver(name)}
      >
        <p>{t('editor.lock.asked', { name })}</p>
      </ConfirmDialog>
    </div>
  )
}

/** Whether the author has the page open and can be asked, and the answer. Some roles do not see who is who. */
function useAnswer(link: string, author: string | undefined) {
  const others = presentUsers
    .use()
    .filter(({ page, user }) => page?.link === link && (!author || !user?.id || user.id === author))
  const answers = others.flatMap(({ says }) => (says === 'give' || says === 'keep' ? [says] : []))
  const answer = answers.includes('give') ? 'give' : answers[0]
  // The next question is possible when the author has seen that the last one is over.
  return { canAsk: others.length > 0 && answer === undefined, answer }
}
