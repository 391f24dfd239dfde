import { auth } from './groups/auth/api.ts'
import { languages } from './groups/languages/api.ts'
import { pages } from './groups/pages/api.ts'
import { roles } from './groups/roles/api.ts'
import { pageSections, siteSections, userSections } from './forms/sections/api.ts'
import { site } from './groups/site/api.ts'
import { system } from './groups/system/api.ts'
import { translations } from './groups/translations/api.ts'
import { pageBacklinks, siteBacklinks, userBacklinks } from './forms/references/api.ts'
import { siteReferences } from './forms/references/references.ts'
import { users } from './groups/users/api.ts'

/** Declared explicitly: the inferred type exceeds the length that the compiler can write. */
type Contents = {
  auth: typeof auth
  languages: typeof languages
  pages: typeof pages & typeof pageSections & typeof pageBacklinks
  roles: typeof roles
  site: typeof site & typeof siteSections & typeof siteBacklinks & typeof siteReferences
  system: typeof system
  translations: typeof translations
  users: typeof users & typeof userSections & typeof userBacklinks
}

/**
 * All endpoints. The server, the OpenAPI document and the client are derived from it. The groups are in the order of
 * the reference: auth, languages, pages, roles, site, system, translations, users.
 */
export const api: Contents = {
  auth,
  languages,
  pages: { ...pages, ...pageSections, ...pageBacklinks },
  roles,
  site: { ...site, ...siteSections, ...siteBacklinks, ...siteReferences },
  system,
  translations,
  users: { ...users, ...userSections, ...userBacklinks },
}
