import { type ComponentProps, lazy, Suspense } from 'react'
import { useContentLanguage } from '../app/language.ts'

/** Lazy, because most sites have one language. */
const Translations = lazy(async () => ({ default: (await import('./translations.tsx')).Translations }))

/** Every language takes one request, so a site with more languages shows no menu; the language switch remains. */
const maxLanguages = 20

/** The translations of a resource. Hidden on a site with one language. */
export function TranslationsMenu(props: ComponentProps<typeof Translations>) {
  const { all } = useContentLanguage()
  return <Suspense>{all.length > 1 && all.length <= maxLanguages && <Translations {...props} />}</Suspense>
}
