import { Link } from '@tanstack/react-router'
import {
  Blocks,
  CircleAlert,
  CircleCheck,
  KeyRound,
  Languages,
  Mail,
  RectangleEllipsis,
  RotateCw,
  ShieldCheck,
  Users,
  Webhook,
} from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { webhooks as texts } from '../texts/en/webhooks.ts'
import { addTexts, t, textOf } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Column, Columns } from '../ui/columns.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { Notice } from '../ui/notice.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Forbidden } from './forbidden.tsx'
import { hasMail, type SystemInfo, useSystem } from './query.ts'
import { SharedCache } from './shared-cache.tsx'

addTexts(texts)

/** The state of the installation. */
export function SystemScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('nav.system'), [{ text: t('nav.system') }])
  return can(user, 'access.system') ? <Known /> : <Forbidden />
}

function Known() {
  const { data: system, error, refetch, isFetching } = useSystem()
  if (error && !system) return <ErrorScreen error={error} reset={() => void refetch()} />
  return (
    <>
      <PageHeader
        title={t('nav.system')}
        badges={
          system && (
            <Badge tone={system.isOk ? 'good' : 'danger'} icon={system.isOk ? CircleCheck : CircleAlert}>
              {t(system.isOk ? 'system.ok' : 'system.notOk')}
            </Badge>
          )
        }
        actions={
          <Button icon={RotateCw} busy={isFetching} onClick={() => void refetch()}>
            {t('system.check')}
          </Button>
        }
      />
      {system ? <Shown system={system} /> : <Skeleton className="h-40 w-full" lines={2} />}
    </>
  )
}

function Shown({ system }: { system: SystemInfo }) {
  const warnings = warningsOf(system)
  const { system: site } = useSession()
  return (
    <div className="flex flex-col gap-5">
      {warnings.map(({ title, text, tone }) => (
        <Notice key={title} tone={tone} title={title}>
          {text}
        </Notice>
      ))}
      {site.siteUrl == null && <Notice title={t('system.frontend')}>{t('system.frontend.text')}</Notice>}
      <Columns>
        <Column width="1/2">
          <div className="flex flex-col gap-5">
            <Card title={t('system.about')}>
              <Facts system={system} />
            </Card>
            <Places />
          </div>
        </Column>
        <Column width="1/2">
          <div className="flex flex-col gap-5">
            <Health system={system} />
            <SharedCache />
            <Card flush title={t('system.signin')}>
              <ul className="divide-y">
                {['password', 'passkey', 'password-reset'].map(method => {
                  const isOn = system.loginMethods.includes(method)
                  return (
                    <li key={method}>
                      <ListItem
                        icon={{ password: RectangleEllipsis, passkey: KeyRound }[method] ?? Mail}
                        title={textOf(`system.signin.${method}`) ?? method}
                        after={<Badge tone={isOn ? 'good' : 'neutral'}>{t(isOn ? 'system.on' : 'system.off')}</Badge>}
                      />
                    </li>
                  )
                })}
              </ul>
            </Card>
          </div>
        </Column>
      </Columns>
    </div>
  )
}

function Facts({ system }: { system: SystemInfo }) {
  const { system: site } = useSession()
  const named = (id: string) => system.translations.find(translation => translation.id === id)?.name ?? id
  const { languages } = site
  const rows: [string, ReactNode][] = [
    [t('system.version'), system.version ?? '—'],
    [t('system.title'), system.title],
    [t('system.address'), <span dir="ltr">{location.origin}</span>],
    [
      t('system.connection'),
      t(
        system.isLocal
          ? 'system.connection.local'
          : location.protocol === 'https:'
            ? 'system.connection.safe'
            : 'system.connection.open',
      ),
    ],
    [
      t('system.languages'),
      languages.length === 0 ? t('system.languages.one') : languages.map(({ name }) => name).join(', '),
    ],
    [
      t('system.interface'),
      t('system.interface.count', { count: system.translations.length, name: named(system.defaultLanguage) }),
    ],
  ]
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="wrap-anywhere">
            <bdi>{value}</bdi>
          </dd>
        </Fragment>
      ))}
    </dl>
  )
}

/** Requirements of the server, and whether they are met. */
function Health({ system }: { system: SystemInfo }) {
  return (
    <Card flush title={t('system.health')}>
      <ul className="divide-y">
        {Object.entries(system.requirements).map(([name, isOk]) => (
          <li key={name}>
            <ListItem
              title={textOf(`system.health.${name}`) ?? name}
              info={textOf(`system.health.${name}.info`)}
              after={
                <Badge tone={isOk ? 'good' : 'danger'} icon={isOk ? CircleCheck : CircleAlert}>
                  {t(isOk ? 'system.fine' : 'system.wrong')}
                </Badge>
              }
            />
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Links to the other administration screens. */
function Places() {
  const { user } = useSession()
  const canViewUsers = can(user, 'access.users')
  const canViewLanguages = can(user, 'access.languages')
  return (
    <Card flush title={t('system.places')}>
      <ul className="divide-y">
        {canViewUsers && (
          <li>
            <ListItem
              icon={ShieldCheck}
              title={t('roles.title')}
              info={t('system.places.roles')}
              render={<Link to="/roles" />}
            />
          </li>
        )}
        {canViewUsers && (
          <li>
            <ListItem
              icon={Users}
              title={t('nav.users')}
              info={t('system.places.users')}
              render={<Link to="/users" />}
            />
          </li>
        )}
        {canViewLanguages && (
          <li>
            <ListItem
              icon={Languages}
              title={t('nav.languages')}
              info={t('system.places.languages')}
              render={<Link to="/languages" />}
            />
          </li>
        )}
        <li>
          <ListItem
            icon={Webhook}
            title={t('webhooks.title')}
            info={t('system.places.webhooks')}
            render={<Link to="/system/webhooks" />}
          />
        </li>
        <li>
          <ListItem
            icon={Blocks}
            title={t('extensions.title')}
            info={t('system.places.extensions')}
            render={<Link to="/system/extensions" />}
          />
        </li>
      </ul>
    </Card>
  )
}

interface Warning {
  title: string
  text: string
  tone: 'warn' | 'danger'
}

function warningsOf(system: SystemInfo): Warning[] {
  const isOpen =
    !system.isLocal && location.protocol !== 'https:' && !/^(localhost|127\.|\[::1\])/.test(location.hostname)
  const all: (Warning | false)[] = [
    system.requirements['media'] === false && {
      title: t('system.warn.media'),
      text: t('system.warn.media.text'),
      tone: 'danger',
    },
    isOpen && { title: t('system.warn.open'), text: t('system.warn.open.text'), tone: 'danger' },
    !hasMail(system) && { title: t('system.warn.mail'), text: t('system.warn.mail.text'), tone: 'warn' },
  ]
  return all.filter(item => item !== false)
}
