import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { LinkInput } from '../fields/link/link-input.tsx'
import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { toast } from '../ui/toast.ts'
import { type Redirect, redirectsKey } from './query.ts'

interface Props {
  /** Undefined for a new one. */
  redirect?: Redirect | undefined
  onClose: () => void
}

/** Adds or changes a redirect. */
export function RedirectDialog({ redirect, onClose }: Props) {
  const queryClient = useQueryClient()
  const [path, setPath] = useState(redirect?.path ?? '/')
  const [target, setTarget] = useState(redirect?.page ?? redirect?.target ?? '')
  const save = useMutation({
    meta: { handlesError: true },
    mutationFn: () => {
      const body = { path: path.trim(), target: target.trim() }
      return redirect ? client.site.redirects.update({ id: redirect.id }, body) : client.site.redirects.create(body)
    },
    onSuccess: () => {
      toast({ tone: 'good', title: t('redirects.saved') })
      onClose()
      return queryClient.invalidateQueries({ queryKey: redirectsKey })
    },
  })
  const title = t(redirect ? 'redirects.change' : 'redirects.add')
  return (
    <SubmitDialog
      disablePointerDismissal
      title={title}
      onClose={onClose}
      onSubmit={() => save.mutate()}
      confirm={redirect ? t('action.save') : title}
      busy={save.isPending}
      disabled={path.trim().length < 2 || target.trim() === ''}
      error={save.error}
    >
      <Field label={t('redirects.from')} help={t('redirects.from.help')} required>
        <Input dir="ltr" value={path} onChange={setPath} maxLength={2000} placeholder="/old/page" autoFocus />
      </Field>
      <Field label={t('redirects.to')} help={t('redirects.to.help')} required>
        <LinkInput value={target} onChange={setTarget} offered={['page', 'url', 'custom']} />
      </Field>
    </SubmitDialog>
  )
}
