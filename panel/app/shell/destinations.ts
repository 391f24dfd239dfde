import { Activity, Globe, Images, Languages, Rocket, Settings2, Sun, Trash2, Users } from 'lucide-react'
import { iconNamed } from '../../extensions/icon.tsx'
import { labelOf, screenPath, screens } from '../../extensions/parts.ts'
import { t } from '../../texts/texts.ts'
import type { Icon } from '../../ui/icon.ts'
import { can, hasAccess, type Permission, type User } from '../session.ts'

export interface Destination {
  to:
    | '/today'
    | '/site'
    | '/releases'
    | '/files'
    | '/users'
    | '/languages'
    | '/trash'
    | '/activity'
    | '/system'
    | `/extensions/${string}`
  /** Paths for which it is marked as current. */
  activePaths: RegExp
  text: string
  icon: Icon
}

interface BuiltIn extends Omit<Destination, 'text'> {
  label:
    | 'nav.today'
    | 'nav.site'
    | 'nav.releases'
    | 'nav.files'
    | 'nav.users'
    | 'nav.languages'
    | 'nav.trash'
    | 'nav.activity'
    | 'nav.system'
  /** The user needs any of these permissions. */
  access: readonly Permission[]
}

const destinations: readonly BuiltIn[] = [
  { to: '/today', activePaths: /^\/today\b/, label: 'nav.today', icon: Sun, access: ['access.panel'] },
  { to: '/site', activePaths: /^\/(site|pages)\b/, label: 'nav.site', icon: Globe, access: ['access.site'] },
  { to: '/releases', activePaths: /^\/releases\b/, label: 'nav.releases', icon: Rocket, access: ['pages.update'] },
  { to: '/files', activePaths: /^\/files\b/, label: 'nav.files', icon: Images, access: ['files.list'] },
  { to: '/users', activePaths: /^\/(users|roles)\b/, label: 'nav.users', icon: Users, access: ['access.users'] },
  {
    to: '/languages',
    activePaths: /^\/languages\b/,
    label: 'nav.languages',
    icon: Languages,
    access: ['access.languages'],
  },
  {
    to: '/trash',
    activePaths: /^\/trash\b/,
    label: 'nav.trash',
    icon: Trash2,
    access: ['pages.create', 'pages.delete', 'files.create', 'files.delete', 'users.create', 'users.delete'],
  },
  {
    to: '/activity',
    activePaths: /^\/activity\b/,
    label: 'nav.activity',
    icon: Activity,
    access: ['pages.list', 'files.list', 'access.site', 'access.users'],
  },
  { to: '/system', activePaths: /^\/system\b/, label: 'nav.system', icon: Settings2, access: ['access.system'] },
]

/** Screens of extensions. Their icons are components, so they are created once, here. */
const extensionScreens = screens.map(part => {
  const to = screenPath(part)
  return { part, to, activePaths: new RegExp(`^${to}(?:/|$)`), icon: iconNamed(part.icon) }
})

/** The main navigation, as far as the role of the user allows. */
export const destinationsFor = (user: User): Destination[] => [
  ...destinations
    .filter(({ access }) => access.some(permission => can(user, permission)))
    .map(({ label, ...rest }) => ({ ...rest, text: t(label) })),
  ...extensionScreens
    .filter(({ part }) => hasAccess(user, part.access))
    .map(({ part, ...rest }) => ({ ...rest, text: labelOf(part, user.language) })),
]
