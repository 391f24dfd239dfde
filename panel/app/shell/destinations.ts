import { Activity, Globe, Languages, type LucideIcon, Settings2, Trash2, Users } from 'lucide-react'
import { can, type Permission, type User } from '../session.ts'

export interface Destination {
  to: '/site' | '/users' | '/languages' | '/trash' | '/activity' | '/system'
  /** Paths for which it is marked as current. */
  within: RegExp
  label: 'nav.site' | 'nav.users' | 'nav.languages' | 'nav.trash' | 'nav.activity' | 'nav.system'
  icon: LucideIcon
  /** The user needs any of these permissions. */
  access: readonly Permission[]
}

const destinations: readonly Destination[] = [
  { to: '/site', within: /^\/(site|pages)\b/, label: 'nav.site', icon: Globe, access: ['access.site'] },
  { to: '/users', within: /^\/(users|roles)\b/, label: 'nav.users', icon: Users, access: ['access.users'] },
  { to: '/languages', within: /^\/languages\b/, label: 'nav.languages', icon: Languages, access: ['access.languages'] },
  {
    to: '/trash',
    within: /^\/trash\b/,
    label: 'nav.trash',
    icon: Trash2,
    access: ['pages.create', 'pages.delete', 'files.create', 'files.delete', 'users.create', 'users.delete'],
  },
  {
    to: '/activity',
    within: /^\/activity\b/,
    label: 'nav.activity',
    icon: Activity,
    access: ['pages.list', 'files.list', 'access.site', 'access.users'],
  },
  { to: '/system', within: /^\/system\b/, label: 'nav.system', icon: Settings2, access: ['access.system'] },
]

/** The main navigation, as far as the role of the user allows. */
export const destinationsFor = (user: User) =>
  destinations.filter(({ access }) => access.some(permission => can(user, permission)))
