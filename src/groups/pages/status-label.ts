import { defaultStatusTexts } from '../../blueprints/page.ts'
import type { RequestContext } from '../../http/context.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { pageBlueprintOf } from './pages.ts'
import type { PageRow } from './queries.ts'

/** The name of its status, as the blueprint has it, in the language of the caller. */
export function statusLabelOf(
  { app, locale }: Pick<RequestContext, 'app' | 'locale'>,
  page: Pick<PageRow, 'template' | 'status'>,
): string {
  const { label } = pageBlueprintOf(app, page).status[page.status] ?? defaultStatusTexts[page.status]
  return inLanguage(label, locale)
}
