import { useAsyncAction } from '../app/action.ts'
import { client } from '../app/client.ts'
import type { System } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { SignInFrame } from './frame.tsx'
import { linkToken } from './token.ts'
import { SignInError } from './wait.tsx'

interface Props {
  system: System
  onDone: () => void
}

/** Confirms a new e-mail address with the link that was sent to it. This ends all sessions. */
export function ConfirmEmail({ system, onDone }: Props) {
  const confirm = useAsyncAction(async () => {
    await client.users.confirmEmail({ id: 'account' }, { token: linkToken! })
    onDone()
  })
  return (
    <SignInFrame system={system} title={t('signin.emailConfirm.title')} text={t('signin.emailConfirm.text')}>
      <div className="flex flex-col gap-4">
        <SignInError error={confirm.error} />
        {linkToken === undefined ? (
          <Notice tone="warn">{t('signin.invite.noToken')}</Notice>
        ) : (
          <Button
            variant="primary"
            size="large"
            className="w-full"
            busy={confirm.busy}
            onClick={() => void confirm.run()}
          >
            {t('signin.emailConfirm.submit')}
          </Button>
        )}
      </div>
    </SignInFrame>
  )
}
