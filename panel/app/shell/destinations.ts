import { Globe, Languages, type LucideIcon, Settings2, Trash2, Users } from 'lucide-react'
import { can, type Permission, type User } from '../session.ts'

export interface Destination {
  to: '/site' | '/users' | '/languages' | '/trash' | '/system'
  /** Addresses that belong to it. */
  within: RegExp
  label: 'nav.site' | 'nav.users' | 'nav.languages' | 'nav.trash' | 'nav.system'
  icon: LucideIcon
  /** Any of these. */
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
  { to: '/system', within: /^\/system\b/, label: 'nav.system', icon: Settings2, access: ['access.system'] },
]

/** Where one can go from everywhere, for those whose role may. */
export const destinationsFor = (user: User) =>
  destinations.filter(({ access }) => access.some(permission => can(user, permission)))
