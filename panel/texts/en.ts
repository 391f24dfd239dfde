import { activity } from './en/activity.ts'
import { bulk } from './en/bulk.ts'
import { common } from './en/common.ts'
import { editor } from './en/editor.ts'
import { extensions } from './en/extensions.ts'
import { fields } from './en/fields.ts'
import { files } from './en/files.ts'
import { filters } from './en/filters.ts'
import { pages } from './en/pages.ts'
import { preview } from './en/preview.ts'
import { redirects } from './en/redirects.ts'
import { releases } from './en/releases.ts'
import { review } from './en/review.ts'
import { roles } from './en/roles.ts'
import { search } from './en/search.ts'
import { sections } from './en/sections.ts'
import { shortcuts } from './en/shortcuts.ts'
import { site } from './en/site.ts'
import { system } from './en/system.ts'
import { today } from './en/today.ts'
import { trash } from './en/trash.ts'
import { users } from './en/users.ts'

/**
 * The English texts of all screens, except those that are loaded with their part of the panel: the account, comments,
 * languages, the library, sign-in and webhooks. Keys are prefixed with their group: `pages.create`.
 */
export const en = {
  ...common,
  ...site,
  ...pages,
  ...files,
  ...preview,
  ...redirects,
  ...releases,
  ...users,
  ...roles,
  ...system,
  ...extensions,
  ...trash,
  ...activity,
  ...search,
  ...shortcuts,
  ...fields,
  ...sections,
  ...bulk,
  ...filters,
  ...editor,
  ...today,
  ...review,
} as const
