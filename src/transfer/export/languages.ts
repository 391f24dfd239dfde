import { listLanguages } from '../../content/languages/languages.ts'
import type { LanguageRow } from '../../content/languages/queries.ts'
import type { ExportRun } from './files.ts'
import { writePhp } from './php.ts'
import type { ExportFolder } from './target.ts'

/** Writes nothing on a site without languages. */
export async function writeLanguages({ app, target, report }: ExportRun, folder: ExportFolder): Promise<void> {
  for (const row of await listLanguages(app)) {
    target.text(folder, `${row.code}.php`, writePhp(settingsOf(row)))
    report.counts.languages++
  }
}

const parseTexts = (json: string) => JSON.parse(json) as Record<string, string>

/** Sorted by name, without empty settings. */
function settingsOf({ code, is_default, direction, locale, name, slugs, translations, url }: LanguageRow) {
  return {
    code,
    default: is_default === 1,
    direction,
    locale: parseTexts(locale),
    name,
    ...(slugs !== '{}' && { slugs: parseTexts(slugs) }),
    ...(translations !== '{}' && { translations: parseTexts(translations) }),
    url: url === `/${code}` ? null : url,
  }
}
