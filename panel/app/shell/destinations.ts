import { Globe, Languages, type LucideIcon, Settings2, Users } from 'lucide-react'
import type { Permission } from '../session.ts'

interface Destination {
  to: '/site' | '/users' | '/languages' | '/system'
  /** Addresses that belong to it. */
  within: RegExp
  label: 'nav.site' | 'nav.users' | 'nav.languages' | 'nav.system'
  icon: LucideIcon
  access: Permission
}

/** Where one can go from everywhere, for those whose role may. */
export const destinations: readonly Destination[] = [
  { to: '/site', within: /^\/(site|pages)\b/, label: 'nav.site', icon: Globe, access: 'access.site' },
  { to: '/users', within: /^\/(users|roles)\b/, label: 'nav.users', icon: Users, access: 'access.users' },
  { to: '/languages', within: /^\/languages\b/, label: 'nav.languages', icon: Languages, access: 'access.languages' },
  { to: '/system', within: /^\/system\b/, label: 'nav.system', icon: Settings2, access: 'access.system' },
]
