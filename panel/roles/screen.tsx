import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { keys } from '../app/query.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { Forbidden } from '../system/forbidden.tsx'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Switch } from '../ui/switch.tsx'
import { isAllowed, Matrix, readRoles, type Role } from './matrix.tsx'

/** The permissions of each role. Read-only, because roles are defined by blueprints. */
export function RolesScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('roles.title'), [
    { text: t('nav.users'), render: <Link to="/users" /> },
    { text: t('roles.title') },
  ])
  return can(user, 'access.users') ? <Roles /> : <Forbidden />
}

function Roles() {
  const [onlyDifferent, setOnlyDifferent] = useState(false)
  const { data: roles, error, refetch } = useQuery({ queryKey: [...keys.roles, 'all'], queryFn: readRoles })
  if (error) return <ErrorScreen error={error} reset={() => void refetch()} />
  return (
    <>
      <PageHeader title={t('roles.title')} info={t('roles.info')} />
      {roles ? (
        <div className="flex flex-col gap-6">
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-3">
            {roles.map(role => (
              <li key={role.name} className="flex">
                <RoleCard role={role} />
              </li>
            ))}
          </ul>
          <Card
            flush
            title={t('roles.matrix')}
            actions={
              roles.length > 1 && (
                <Switch label={t('roles.different')} value={onlyDifferent} onChange={setOnlyDifferent} />
              )
            }
          >
            <Matrix roles={roles} onlyDifferent={onlyDifferent} />
          </Card>
        </div>
      ) : (
        <Skeleton className="h-24 w-full" lines={3} />
      )}
    </>
  )
}

function RoleCard({ role }: { role: Role }) {
  const { user } = useSession()
  const { data: count } = useQuery({
    queryKey: [...keys.users, 'count', role.name],
    queryFn: async () => {
      const filterBy = [{ field: 'role', operator: '==', value: role.name }]
      return (await client.users.query({ limit: 1, select: ['id'] }, { filterBy })).pagination.total
    },
  })
  const all = Object.values(role.permissions).flatMap(actions => Object.values(actions))
  const allowed = all.filter(Boolean).length
  const isOwn = user.role.name === role.name
  return (
    <section className="flex min-w-0 flex-1 flex-col gap-1 rounded-lg border bg-surface p-4">
      <h2 className="flex flex-wrap items-center gap-2 font-semibold">
        <span className="min-w-0 wrap-anywhere">{role.title}</span>
        {isOwn && <Badge tone="accent">{t('roles.own')}</Badge>}
      </h2>
      {role.description && <p className="wrap-anywhere text-muted">{role.description}</p>}
      <p className="mt-auto flex flex-wrap gap-x-3 pt-2 text-sm text-muted">
        <span>{allowed === all.length ? t('roles.everything') : t('roles.some', { allowed, all: all.length })}</span>
        {count !== undefined && <span>{t('users.count', { count })}</span>}
        {!isAllowed(role, 'access', 'panel') && <span>{t('roles.noPanel')}</span>}
      </p>
    </section>
  )
}
