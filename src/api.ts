import { auth } from './auth/api.ts'
import { roles } from './roles/api.ts'
import { system } from './system/api.ts'
import { translations } from './translations/api.ts'
import { users } from './users/api.ts'

/**
 * The table of contents of the API. The server, the OpenAPI document and the client are all read from it. The groups,
 * in the order of the reference: auth, languages, pages, roles, site, system, translations, users.
 */
export const api = { auth, roles, system, translations, users }
