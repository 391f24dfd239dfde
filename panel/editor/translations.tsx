import { useQueries } from '@tanstack/react-query'
import { Copy, Languages } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import type { Blueprint } from './blueprint.ts'
import type { ContentResource } from './content-resource.ts'
import type { Draft } from './draft-state.ts'
import { publishedCountQuery } from './fallbacks.ts'

const CopyFromDialog = lazy(async () => ({ default: (await import('./copy-from.tsx')).CopyFromDialog }))

interface Props {
  resource: ContentResource
  draft: Draft
  blueprint: Blueprint
}

/** Shows which languages the resource is translated into, and switches between them. */
export function Translations({ resource, draft, blueprint }: Props) {
  const { all: languages, code, choose } = useContentLanguage()
  const [isCopying, setCopying] = useState(false)
  const isLocked = draft.use(({ lock }) => lock !== undefined)
  const counts = useQueries({
    queries: languages.map(language => ({
      ...publishedCountQuery(resource, language.code),
      enabled: !language.default,
    })),
  })
  const isDone = languages.map((language, index) => language.default || (counts[index]?.data ?? 0) > 0)
  const done = isDone.filter(Boolean).length
  return (
    <>
      <Menu
        trigger={
          <Button
            variant="plain"
            icon={Languages}
            aria-label={`${done}/${languages.length}. ${t('editor.translations', { done, all: languages.length })}`}
          >
            <bdi dir="ltr">{`${done}/${languages.length}`}</bdi>
          </Button>
        }
        items={[
          ...languages.map((language, index) => ({
            text: language.name,
            info: language.default
              ? t('editor.translations.origin')
              : isDone[index]
                ? undefined
                : t('editor.translations.none'),
            checked: language.code === code,
            onSelect: () => void choose(language.code),
          })),
          'line',
          { text: t('editor.copy'), icon: Copy, disabled: isLocked, onSelect: () => setCopying(true) },
        ]}
      />
      <Suspense>
        {isCopying && <CopyFromDialog draft={draft} blueprint={blueprint} onClose={() => setCopying(false)} />}
      </Suspense>
    </>
  )
}
