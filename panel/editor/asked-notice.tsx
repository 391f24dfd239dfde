import { Hand } from 'lucide-react'
import { useEffect, useState } from 'react'
import { presentUsers, handOverMessage } from '../activity/presence.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import type { Draft } from './draft-state.ts'

/** How often, and for how long, to check whether the other person has taken over, in ms. */
const checkMs = 1000
const maxChecks = 20

/** Someone else would like to continue with the changes of this user, who hands them over, or goes on. */
export function AskedNotice({ draft, link }: { draft: Draft; link: string }) {
  const asking = presentUsers.use().filter(({ page, says }) => page?.link === link && says === 'ask')
  const answer = handOverMessage.use()
  const isAsked = asking.length > 0
  const [checks, setChecks] = useState(0)

  useEffect(
    () => () => {
      // The question is gone: the other person has taken over the draft, or has left.
      if (handOverMessage.get() === 'give') void draft.refresh()
      // The answer is for this question: the next one is shown again.
      handOverMessage.set(null)
    },
    [draft],
  )

  useEffect(() => {
    if (answer !== 'give') return undefined
    const timer = setTimeout(() => {
      if (checks >= maxChecks) return handOverMessage.set(null)
      setChecks(checks + 1)
      void draft.refresh()
    }, checkMs)
    return () => clearTimeout(timer)
  }, [answer, checks, draft])

  if (!isAsked || answer === 'keep') return null
  const name = asking[0]?.user?.username || t('editor.lock.someone')
  return (
    <div className="pb-5">
      <Notice
        live
        tone="info"
        icon={Hand}
        title={t('editor.asked.title', { name })}
        action={
          <>
            <Button size="small" onClick={() => handOverMessage.set('keep')}>
              {t('editor.asked.keep')}
            </Button>
            <Button
              size="small"
              variant="primary"
              busy={answer === 'give'}
              onClick={() => void draft.flush().then(() => handOverMessage.set('give'))}
            >
              {t('editor.asked.give')}
            </Button>
          </>
        }
      >
        {t('editor.asked.text', { name })}
      </Notice>
    </div>
  )
}
