import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useBlocker, useNavigate, useParams } from '@tanstack/react-router'
import { Star, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { QuoinError } from '../../client/client.ts'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { keys } from '../app/query.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { useShortcut } from '../app/shortcuts.ts'
import { Forbidden } from '../system/forbidden.tsx'
import { languages as texts } from '../texts/en/languages.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { toast } from '../ui/toast.ts'
import { bodyOf, type LanguageForm, formOf } from './form.ts'
import { type LanguageModel, languagesChanged, useLanguages } from './model.ts'
import { Settings } from './settings.tsx'

addTexts(texts)

/** A content language. */
export function LanguageScreen() {
  const { code } = useParams({ from: '/languages/$code' })
  const { user } = useSession()
  const { data, error, refetch } = useLanguages()
  const language = data?.find(candidate => candidate.code === code)
  useTitleAndBreadcrumb(language?.name, [
    { text: t('nav.languages'), render: <Link to="/languages" /> },
    { text: language?.name ?? code },
  ])
  if (!can(user, 'access.languages')) return <Forbidden />
  if (error) return <ErrorScreen error={error} reset={() => void refetch()} />
  if (!data) return <Skeleton className="h-12 w-full" lines={4} />
  if (!language) return <ErrorScreen error={new QuoinError(404, {})} />
  return <Loaded key={language.code} language={language} others={data.length - 1} />
}

function Loaded({ language, others }: { language: LanguageModel; others: number }) {
  const { user } = useSession()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const canChange = can(user, 'languages.create')
  const { code, name } = language
  const saved = formOf(language)
  const [form, setForm] = useState(saved)
  const [dialog, setDialog] = useState<'default' | 'delete'>()
  const set = (part: Partial<LanguageForm>) => setForm({ ...form, ...part })
  const isChanged = JSON.stringify(form) !== JSON.stringify(saved)

  const save = useMutation({
    mutationFn: () => client.languages.update({ code }, bodyOf(form, saved)),
    meta: { handlesError: true },
    onSuccess: async () => {
      await languagesChanged()
      // Shows the values as normalised by the server.
      const now = queryClient.getQueryData<LanguageModel[]>(keys.languages)?.find(candidate => candidate.code === code)
      if (now) setForm(formOf(now))
      toast({ tone: 'good', title: t('languages.saved') })
    },
  })
  const makeDefault = useMutation({
    mutationFn: () => client.languages.update({ code }, { default: true }),
    onSuccess: languagesChanged,
    onSettled: () => setDialog(undefined),
  })
  const remove = useMutation({
    mutationFn: () => client.languages.delete({ code }),
    onSuccess: async () => {
      toast(t('languages.deleted', { name }))
      await navigate({ to: '/languages', ignoreBlocker: true })
      await languagesChanged()
    },
    onError: () => setDialog(undefined),
  })
  useShortcut('s', () => canChange && isChanged && save.mutate())
  const leaving = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  })
  const found = fieldErrors(save.error)
  const errors = hasKey(save.error, 'language.name') ? { ...found, name: errorText(save.error) } : found

  return (
    <>
      <PageHeader
        title={name}
        badges={
          <>
            <Badge>{code}</Badge>
            {language.default && <Badge tone="accent">{t('languages.default')}</Badge>}
          </>
        }
        actions={
          canChange && (
            <>
              {!language.default && (
                <Button icon={Star} onClick={() => setDialog('default')}>
                  {t('languages.makeDefault')}
                </Button>
              )}
              <Button variant="primary" disabled={!isChanged} busy={save.isPending} onClick={() => save.mutate()}>
                {t('action.save')}
              </Button>
            </>
          )
        }
      />
      <div className="flex max-w-3xl flex-col gap-5">
        {!canChange && <Notice>{t('languages.denied')}</Notice>}
        {save.error && Object.keys(errors).length === 0 && (
          <Notice tone="danger" live>
            {errorText(save.error)}
          </Notice>
        )}
        <Settings language={language} form={form} onChange={set} errors={errors} disabled={!canChange} />
        <Deleting language={language} others={others} onDelete={() => setDialog('delete')} />
      </div>
      <ConfirmDialog
        open={dialog === 'default'}
        title={t('languages.makeDefault.title', { name })}
        confirm={t('languages.makeDefault')}
        busy={makeDefault.isPending}
        onClose={() => setDialog(undefined)}
        onConfirm={() => makeDefault.mutate()}
      >
        <p>{t('languages.makeDefault.text', { name })}</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={dialog === 'delete'}
        danger
        title={t('languages.delete.title', { name })}
        confirm={t('action.delete')}
        busy={remove.isPending}
        onClose={() => setDialog(undefined)}
        onConfirm={() => remove.mutate()}
      >
        <p>{t(others === 0 ? 'languages.delete.last' : 'languages.delete.text', { name })}</p>
        {others > 0 && <p>{t('languages.delete.undone')}</p>}
      </ConfirmDialog>
      <ConfirmDialog
        open={leaving.status === 'blocked'}
        danger
        title={t('languages.leave.title')}
        confirm={t('languages.leave')}
        onClose={() => leaving.reset?.()}
        onConfirm={() => leaving.proceed?.()}
      >
        <p>{t('languages.leave.text', { name })}</p>
      </ConfirmDialog>
    </>
  )
}

interface DeletingProps {
  language: LanguageModel
  others: number
  onDelete: () => void
}

/** Shows what will be deleted, or why the language cannot be deleted. */
function Deleting({ language, others, onDelete }: DeletingProps) {
  const { user } = useSession()
  const { name } = language
  const isNeeded = language.default && others > 0
  const why = can(user, 'languages.delete') ? isNeeded && t('languages.delete.default') : t('users.why.role')
  return (
    <Card title={t('languages.delete')}>
      <div className="flex flex-wrap items-center gap-3">
        <p className="min-w-0 flex-1 basis-60 text-muted">
          {why || t(others === 0 ? 'languages.delete.last' : 'languages.delete.text', { name })}
        </p>
        <Button icon={Trash2} disabled={!!why} onClick={onDelete}>
          {t('action.delete')}
        </Button>
      </div>
    </Card>
  )
}
