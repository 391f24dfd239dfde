import { useQueries } from '@tanstack/react-query'
import { Languages } from 'lucide-react'
import { useContentLanguage } from '../app/language.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { ContentResource } from './content-resource.ts'

/** Every language takes one request, so a site with more languages shows no menu; the language switch remains. */
const maxLanguages = 20

/**
 * Shows which languages the resource is translated into, and switches between them. Hidden on a site with one language.
 */
export function TranslationsMenu({ resource }: { resource: ContentResource }) {
  const { all, code, choose } = useContentLanguage()
  const shown = all.length > 1 && all.length <= maxLanguages ? all : []
  const counts = useQueries({
    queries: shown.map(language => ({
      queryKey: ['history', resource.key, 'count', language.code],
      queryFn: () => resource.history.count(language.code),
      enabled: !language.default,
      staleTime: 30_000,
    })),
  })
  if (shown.length === 0) return null
  const isDone = shown.map((language, index) => language.default || (counts[index]?.data ?? 0) > 0)
  const done = isDone.filter(Boolean).length
  return (
    <Menu
      trigger={
        <Button
          variant="plain"
          icon={Languages}
          aria-label={`${done}/${shown.length}. ${t('editor.translations', { done, all: shown.length })}`}
        >
          <bdi dir="ltr">{`${done}/${shown.length}`}</bdi>
        </Button>
      }
      items={shown.map((language, index) => ({
        text: language.name,
        info: language.default
          ? t('editor.translations.origin')
          : isDone[index]
            ? undefined
            : t('editor.translations.none'),
        checked: language.code === code,
        onSelect: () => void choose(language.code),
      }))}
    />
  )
}
