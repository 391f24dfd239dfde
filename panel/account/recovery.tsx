import { useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { CopyButton } from './copy.tsx'
import { ownAccount, passkeysQuery, recoveryCodesQuery, refreshAccount } from './queries.ts'
import { useTotp } from './totp.tsx'

/** Recovery codes, in case the second factor is lost. */
export function RecoveryCodes() {
  const { data } = useQuery(recoveryCodesQuery)
  const { data: passkeys = [] } = useQuery(passkeysQuery)
  const hasFactor = useTotp() === true || passkeys.length > 0
  const [isConfirming, setConfirming] = useState(false)
  const [codes, setCodes] = useState<string[]>()
  const renew = useMutation({
    mutationFn: () => client.users.recoveryCodes.renew(ownAccount),
    onSuccess: async renewed => {
      setCodes(renewed.codes)
      await refreshAccount()
    },
    onSettled: () => setConfirming(false),
  })
  const codesLeft = data?.left ?? 0
  return (
    <Card
      title={t('account.recovery')}
      actions={
        <Button
          size="small"
          busy={renew.isPending}
          disabled={!hasFactor}
          onClick={() => (codesLeft > 0 ? setConfirming(true) : renew.mutate())}
        >
          {t('account.recovery.make')}
        </Button>
      }
    >
      <p className="text-muted">{t('account.recovery.text')}</p>
      {data && (
        <p className="mt-2 font-medium">
          {codesLeft > 0
            ? t('account.recovery.left', { count: codesLeft })
            : t(hasFactor ? 'account.recovery.none' : 'account.recovery.need')}
        </p>
      )}
      <ConfirmDialog
        open={isConfirming}
        title={t('account.recovery.confirm')}
        confirm={t('account.recovery.make')}
        busy={renew.isPending}
        onConfirm={() => renew.mutate()}
        onClose={() => setConfirming(false)}
      >
        {t('account.recovery.confirm.text')}
      </ConfirmDialog>
      {codes && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </Card>
  )
}

/** The new codes, which are shown only once. */
export function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { system, user } = useSession()
  const text = codes.join('\n')
  function save(): void {
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([`${system.title}\n${user.email}\n\n${text}\n`], { type: 'text/plain' }))
    link.download = 'recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <Dialog
      open
      disablePointerDismissal
      size="small"
      title={t('account.recovery.shown')}
      onClose={onClose}
      footer={
        <>
          <Button icon={Download} onClick={save}>
            {t('account.recovery.save')}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {t('action.done')}
          </Button>
        </>
      }
    >
      <Notice tone="warn">{t('account.recovery.keep')}</Notice>
      <div className="mt-3 flex items-start gap-2 rounded-md bg-sunken p-3">
        <ol className="grid flex-1 gap-1 font-mono text-sm" dir="ltr">
          {codes.map(code => (
            <li key={code} className="select-all">
              {code}
            </li>
          ))}
        </ol>
        <CopyButton text={text} />
      </div>
    </Dialog>
  )
}
