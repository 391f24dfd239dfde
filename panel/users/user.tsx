import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Images } from 'lucide-react'
import { useState } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { useContentLanguage } from '../app/language.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { filesLink } from '../files/link.tsx'
import { account } from '../texts/en/account.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Column, Columns } from '../ui/columns.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Activity } from './activity.tsx'
import { EmailDialog, LanguageDialog, UserNameDialog, RoleDialog } from './change.tsx'
import { UserContent } from './content.tsx'
import { AccountRemoval } from './account-removal.tsx'
import { userChanged, type UserModel, userQuery, whyForbidden } from './model.ts'
import { ProfileImage } from './profile-image.tsx'
import { LanguageName } from './screen.tsx'
import { UserSessions } from './sessions.tsx'
import { Setting } from './setting.tsx'
import { SignInCard } from './sign-in-card.tsx'
import { StatusBadge } from './status.tsx'
import { UserTokens } from './tokens.tsx'

addTexts(account)

/** An account: profile, sign-in and activity. */
export function UserScreen() {
  const { id } = useParams({ from: '/users/$id' })
  const { code: language } = useContentLanguage()
  const { data, error, refetch } = useQuery(userQuery(id, language))
  useTitleAndBreadcrumb(data?.username, [
    { text: t('nav.users'), render: <Link to="/users" /> },
    { text: data?.username ?? '…' },
  ])
  if (error && !data) return <ErrorScreen error={error} reset={() => void refetch()} />
  if (!data) return <UserSkeleton />
  return <Loaded key={data.id} user={data} language={language} />
}

function Loaded({ user, language }: { user: UserModel; language: string | undefined }) {
  const { user: caller } = useSession()
  const queryClient = useQueryClient()
  const own = user.id === caller.id
  const isAdmin = caller.role.name === 'admin'
  const canViewActivity = isAdmin && can(caller, 'access.system')
  return (
    <>
      <header className="flex flex-wrap items-center gap-5 pb-6">
        <ProfileImage user={user} />
        <div className="min-w-0 flex-1 basis-52">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h1 className="min-w-0 text-2xl font-semibold tracking-tight wrap-anywhere">{user.username}</h1>
            {user.status !== 'active' && <StatusBadge status={user.status} />}
          </div>
          <p className="mt-1 wrap-anywhere text-muted">
            {[user.role.title, user.name && user.email].filter(Boolean).join(' · ')}
          </p>
        </div>
        {can(caller, 'files.access') && (
          <Button icon={Images} render={filesLink({ kind: 'user', id: user.id })}>
            {t('files.title')}
          </Button>
        )}
      </header>
      <div className="flex flex-col gap-5">
        {own && (
          <Notice
            action={
              <Button size="small" render={<Link to="/account" />}>
                {t('app.account')}
              </Button>
            }
          >
            {t('users.own')}
          </Notice>
        )}
        {user.status === 'disabled' && (
          <Notice tone="warn" title={t('users.disabled.title')}>
            {t('users.disabled.text')}
          </Notice>
        )}
        <Columns>
          <Column width="1/2">
            <div className="flex flex-col gap-5">
              <Profile user={user} />
              <UserContent user={user} language={language} onChanged={() => void userChanged(queryClient, user.id)} />
              <AccountRemoval user={user} />
            </div>
          </Column>
          <Column width="1/2">
            <div className="flex flex-col gap-5">
              {!own && <SignInCard user={user} />}
              {!own && user.options['changePassword'] === true && <UserSessions user={user} />}
              {!own && user.options['changePassword'] === true && user.status === 'active' && (
                <UserTokens user={user} />
              )}
              {canViewActivity && <Activity id={user.id} />}
            </div>
          </Column>
        </Columns>
      </div>
    </>
  )
}

const dialogs = { name: UserNameDialog, email: EmailDialog, language: LanguageDialog, role: RoleDialog }

function Profile({ user }: { user: UserModel }) {
  const { user: caller } = useSession()
  const [dialog, setDialog] = useState<keyof typeof dialogs>()
  const Dialog = dialog && dialogs[dialog]
  const isOwn = user.id === caller.id
  const change = (opened: keyof typeof dialogs) => ({ action: t('users.change'), onAction: () => setDialog(opened) })
  return (
    <Card flush title={t('users.profile')}>
      <div className="divide-y">
        <Setting label={t('users.name')} {...change('name')} disabledReason={whyForbidden(user, caller, 'changeName')}>
          {user.name || t('users.name.none')}
        </Setting>
        <Setting
          label={t('users.email')}
          {...change('email')}
          disabledReason={isOwn ? t('users.email.own') : whyForbidden(user, caller, 'changeEmail')}
        >
          {user.email}
        </Setting>
        <Setting label={t('users.role')} {...change('role')} disabledReason={whyForbidden(user, caller, 'changeRole')}>
          {user.role.title}
          {user.role.description && <span className="block">{user.role.description}</span>}
        </Setting>
        <Setting
          label={t('users.language')}
          {...change('language')}
          disabledReason={whyForbidden(user, caller, 'changeLanguage')}
        >
          <LanguageName code={user.language} />
        </Setting>
      </div>
      {Dialog && <Dialog user={user} onClose={() => setDialog(undefined)} />}
    </Card>
  )
}

function UserSkeleton() {
  return (
    <>
      <h1 className="sr-only">…</h1>
      <Skeleton className="mb-6 h-20 w-80 max-w-full" />
      <Columns>
        <Column width="1/2">
          <Skeleton className="h-72 w-full" />
        </Column>
        <Column width="1/2">
          <Skeleton className="h-72 w-full" />
        </Column>
      </Columns>
    </>
  )
}
