import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowRight, CornerUpRight, Pencil, Plus, Search, Trash2 } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { client } from '../app/client.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { can, useSession } from '../app/session.ts'
import { Forbidden } from '../system/forbidden.tsx'
import { PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { toast } from '../ui/toast.ts'
import { RedirectDialog } from './dialog.tsx'
import { type Redirect, redirectsKey, redirectsQuery } from './query.ts'

/** Old addresses of the site, and where they lead to. */
export function RedirectsScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('redirects.title'), [
    { text: t('nav.site'), render: <Link to="/site" /> },
    { text: t('redirects.title') },
  ])
  return can(user, 'site.update') ? <All /> : <Forbidden />
}

type OpenDialog = { kind: 'add' } | { kind: 'change' | 'delete'; redirect: Redirect }

function All() {
  const [typed, setTyped] = useState('')
  const [dialog, setDialog] = useState<OpenDialog>()
  const search = useDeferredValue(typed.trim())
  const found = usePaginated(redirectsQuery(search), { keep: true })
  const close = () => setDialog(undefined)
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setDialog({ kind: 'add' })}>
      {t('redirects.add')}
    </Button>
  )
  const isEmpty = found.total === 0 && search === ''
  return (
    <>
      <PageHeader title={t('redirects.title')} info={t('redirects.info')} actions={!isEmpty && add} />
      {!isEmpty && (
        <SearchInput label={t('redirects.search')} value={typed} onChange={setTyped} className="mb-4 sm:max-w-80" />
      )}
      <Card flush>
        <PaginatedList
          query={found}
          empty={
            isEmpty ? (
              <EmptyState icon={CornerUpRight} text={t('redirects.none')} action={add} />
            ) : (
              <EmptyState icon={Search} text={t('redirects.none.found')} />
            )
          }
        >
          {redirects => (
            <ul aria-label={t('redirects.title')} className="divide-y">
              {redirects.map(redirect => (
                <li key={redirect.id}>
                  <Row redirect={redirect} onAsk={setDialog} />
                </li>
              ))}
            </ul>
          )}
        </PaginatedList>
      </Card>
      {dialog?.kind === 'add' && <RedirectDialog onClose={close} />}
      {dialog?.kind === 'change' && <RedirectDialog redirect={dialog.redirect} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteDialog redirect={dialog.redirect} onClose={close} />}
    </>
  )
}

function Row({ redirect, onAsk }: { redirect: Redirect; onAsk: (dialog: OpenDialog) => void }) {
  const { target, title, automatic, language, prefix } = redirect
  const path = pathOf(redirect)
  return (
    <div className="flex items-center gap-2 px-4 py-2">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3">
        <span className="min-w-0 truncate font-medium max-sm:w-full" title={redirect.url}>
          <bdi dir="ltr">{path}</bdi>
        </span>
        <span className="flex min-w-0 items-center gap-2 text-muted">
          <ArrowRight aria-hidden="true" className="shrink-0 text-faint rtl:rotate-180" />
          {target === null ? (
            <Badge tone="warn">{t('redirects.gone')}</Badge>
          ) : (
            <bdi dir="ltr" className="truncate" title={title ?? undefined}>
              {prefix ? below(target) : readable(target)}
            </bdi>
          )}
        </span>
        {language !== null && <Badge>{language}</Badge>}
        {automatic && <Badge>{t('redirects.automatic')}</Badge>}
      </div>
      <div className="flex shrink-0 gap-1">
        {!prefix && (
          <IconButton
            icon={Pencil}
            label={t('redirects.edit.one', { path })}
            onClick={() => onAsk({ kind: 'change', redirect })}
          />
        )}
        <IconButton
          icon={Trash2}
          label={t('redirects.delete.one', { path })}
          onClick={() => onAsk({ kind: 'delete', redirect })}
        />
      </div>
    </div>
  )
}

/** Those of a language lead from all addresses below. */
const pathOf = ({ path, prefix }: Redirect) => (prefix ? below(path) : readable(path))

/** `/de` → `/de/…` */
const below = (path: string) => `${readable(path).replace(/\/$/, '')}/…`

/** `/caf%C3%A9` → `/café` */
function readable(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

function DeleteDialog({ redirect, onClose }: { redirect: Redirect; onClose: () => void }) {
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => client.site.redirects.delete({ id: redirect.id }),
    onSuccess: () => toast({ tone: 'good', title: t('redirects.deleted') }),
    onSettled: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: redirectsKey })
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      title={t('redirects.delete')}
      confirm={t('action.delete')}
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      <p className="wrap-anywhere">{t('redirects.delete.text', { path: pathOf(redirect) })}</p>
    </ConfirmDialog>
  )
}
