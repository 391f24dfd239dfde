import { Link } from '@tanstack/react-router'
import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import type { ReactElement } from 'react'
import { t } from '../../texts/texts.ts'
import { Menu } from '../../ui/menu.tsx'
import { can, signOut, useSession } from '../session.ts'
import { setTheme, theme, type Theme } from '../theme.ts'

const themes: [Theme, typeof Sun][] = [
  ['system', Monitor],
  ['light', Sun],
  ['dark', Moon],
]

interface Props {
  trigger: ReactElement<Record<string, unknown>>
  startOpen: boolean
}

/** The menu of the user's own account. */
export function UserMenu({ trigger, startOpen }: Props) {
  const { user } = useSession()
  const chosen = theme.use()
  const account = can(user, 'access.account')
  return (
    <Menu
      side="top"
      align="start"
      trigger={trigger}
      startOpen={startOpen}
      items={[
        account && { text: t('app.account'), icon: UserRound, render: <Link to="/account" /> },
        account && 'line',
        { heading: t('app.theme') },
        ...themes.map(([value, icon]) => ({
          text: t(`app.theme.${value}`),
          icon,
          checked: chosen === value,
          onSelect: () => setTheme(value),
        })),
        'line',
        { text: t('app.signOut'), icon: LogOut, onSelect: () => void signOut() },
      ]}
    />
  )
}
