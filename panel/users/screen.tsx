import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ShieldCheck, UserPlus, Users } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { client } from '../app/client.ts'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { keys } from '../app/query.ts'
import { can, useSession } from '../app/session.ts'
import { usePaletteActions } from '../search/palette-actions.ts'
import { Forbidden } from '../system/forbidden.tsx'
import { paginatedQuery, PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { useSystem } from '../system/query.ts'
import { t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Select } from '../ui/select.tsx'
import { Table } from '../ui/table.tsx'
import { CreateUserDialog } from './create.tsx'
import { readUsers, type UserBrief, userQuery } from './model.ts'
import { StatusBadge } from './status.tsx'

const pageSize = 50

/** All accounts that are visible to the user. */
export function UsersScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('nav.users'), [{ text: t('nav.users') }])
  return can(user, 'access.users') ? <People /> : <Forbidden />
}

function People() {
  const { user } = useSession()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [role, setRole] = useState<string | null>(null)
  const [creating, setCreating] = useState(false)
  const search = useDeferredValue(typed.trim())
  const people = usePaginated(peopleQuery(search, role), { keep: true })
  const { total } = people
  const roles = useQuery({
    queryKey: [...keys.roles, 'brief'],
    queryFn: async () => (await client.roles.list()).data,
  })
  const canCreate = can(user, 'users.create')
  usePaletteActions(canCreate ? [{ text: t('users.create'), icon: UserPlus, run: () => setCreating(true) }] : [])
  const isFiltered = search !== '' || role !== null

  return (
    <>
      <PageHeader
        title={t('nav.users')}
        info={total === undefined ? t('users.info') : t('users.count', { count: total })}
        actions={
          <>
            <Button icon={ShieldCheck} render={<Link to="/roles" />}>
              {t('roles.title')}
            </Button>
            <Button
              variant="primary"
              icon={UserPlus}
              disabled={!canCreate}
              title={canCreate ? undefined : t('users.why.role')}
              onClick={() => setCreating(true)}
            >
              {t('users.create')}
            </Button>
          </>
        }
      />
      <div className="mb-4 flex flex-wrap gap-2">
        <SearchInput
          label={t('users.search')}
          value={typed}
          onChange={setTyped}
          className="flex-1 basis-48 sm:max-w-80"
        />
        <Select
          aria-label={t('users.filter')}
          empty
          placeholder={t('users.filter.all')}
          value={role}
          onChange={setRole}
          options={(roles.data ?? []).map(({ name, title }) => ({ value: name, text: title }))}
          className="w-44 max-sm:w-full"
        />
      </div>
      <Card flush>
        <PaginatedList
          query={people}
          empty={
            isFiltered ? (
              <EmptyState
                icon={Users}
                text={t('users.none.found')}
                action={
                  <Button
                    onClick={() => {
                      setTyped('')
                      setRole(null)
                    }}
                  >
                    {t('users.none.all')}
                  </Button>
                }
              />
            ) : (
              <EmptyState icon={Users} text={t('users.none')} />
            )
          }
        >
          {rows => (
            <Table
              label={t('nav.users')}
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }) => void navigate({ to: '/users/$id', params: { id } })}
              columns={columns()}
            />
          )}
        </PaginatedList>
      </Card>
      {creating && <CreateUserDialog onClose={() => setCreating(false)} />}
    </>
  )
}

const peopleQuery = (search: string, role: string | null) =>
  paginatedQuery([...keys.users, 'list', search, role], pageSize, paging => readUsers(paging, search, role))

const columns = () => [
  {
    name: 'person',
    label: t('users.person'),
    cell: (user: UserBrief) => <UserCell user={user} />,
  },
  {
    name: 'role',
    label: t('users.role'),
    width: 'w-52',
    wide: true,
    cell: ({ role }: UserBrief) => role.title,
  },
  {
    name: 'language',
    label: t('users.language'),
    width: 'w-40',
    wide: true,
    cell: ({ language }: UserBrief) => <LanguageName code={language} />,
  },
]

function UserCell({ user }: { user: UserBrief }) {
  const session = useSession()
  const queryClient = useQueryClient()
  const { code: language } = useContentLanguage()
  const { id, username, email, name, avatar, role, status } = user
  return (
    <span className="flex min-w-0 items-center gap-3">
      <Avatar name={username} url={avatar?.url} />
      <span className="min-w-0">
        <span className="flex items-center gap-2">
          <Link
            to="/users/$id"
            params={{ id }}
            className="min-w-0 truncate font-medium hover:underline"
            onClick={event => event.stopPropagation()}
            onPointerEnter={() => void queryClient.prefetchQuery(userQuery(id, language))}
          >
            {username}
          </Link>
          {id === session.user.id && <Badge>{t('users.you')}</Badge>}
          {status !== 'active' && <StatusBadge status={status} />}
        </span>
        {name && <span className="block truncate text-sm text-muted">{email}</span>}
        {/* In a narrow container, in place of the columns. */}
        <span className="block text-sm text-muted @xl:hidden">{role.title}</span>
      </span>
    </span>
  )
}

export function LanguageName({ code }: { code: string }) {
  const { data } = useSystem()
  return <>{data?.translations.find(({ id }) => id === code)?.name ?? code}</>
}
