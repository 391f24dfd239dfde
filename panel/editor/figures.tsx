import { lazy, Suspense, useMemo } from 'react'
import { t } from '../texts/texts.ts'
import type { Blueprint } from './blueprint.ts'
import type { Draft } from './draft-state.ts'
import { useIdleValues } from './idle-values.ts'
import { countWords, headingsOf, longFieldsOf } from './long-texts.ts'

const OutlineMenu = lazy(async () => ({ default: (await import('./outline-menu.tsx')).OutlineMenu }))

interface Props {
  draft: Draft
  blueprint: Blueprint
}

/** Words per minute of an average reader. */
const wordsPerMinute = 200
/** Shorter pages need no outline. */
const minHeadings = 5

/** The number of words in the long texts of a form, and how long reading them takes. */
export function WordCount({ draft, blueprint }: Props) {
  const names = useMemo(() => longFieldsOf(blueprint), [blueprint])
  const values = useIdleValues(draft)
  const words = useMemo(() => names.reduce((sum, name) => sum + countWords(values[name]), 0), [names, values])
  if (words === 0) return null
  const minutes = Math.max(1, Math.round(words / wordsPerMinute))
  return (
    <p className="pt-4 text-sm text-muted">
      {t('editor.words', { count: words })} · {t('editor.minutes', { count: minutes })}
    </p>
  )
}

/** The headings of a long page; choosing one goes there. */
export function Outline({ draft, blueprint }: Props) {
  const names = useMemo(() => longFieldsOf(blueprint), [blueprint])
  const values = useIdleValues(draft)
  const headings = useMemo(() => headingsOf(names, values), [names, values])
  if (headings.length < minHeadings) return null
  return (
    <Suspense>
      <OutlineMenu headings={headings} />
    </Suspense>
  )
}
