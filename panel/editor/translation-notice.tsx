import { useQuery } from '@tanstack/react-query'
import { Languages } from 'lucide-react'
import { useContentLanguage } from '../app/language.ts'
import { t } from '../texts/texts.ts'
import { Notice } from '../ui/notice.tsx'
import { type Blueprint, sectionsOf } from './blueprint.ts'
import type { Draft } from './draft-state.ts'
import { equal } from './equal.ts'
import { readable } from './readable.ts'
import type { Content, ContentResource } from './content-resource.ts'

interface Props {
  resource: ContentResource
  blueprint: Blueprint
  draft: Draft
}

/** Lists the fields that still have the text of the default language. */
export function TranslationNotice({ resource, blueprint, draft }: Props) {
  const { all, current } = useContentLanguage()
  const origin = all.find(language => language.default)
  const { data: content } = useQuery({
    queryKey: ['origin', resource.link],
    queryFn: () => resource.origin(origin?.code),
    staleTime: 30_000,
  })
  const named = draft.use(({ values }) => (content ? untranslated(blueprint, content, values).join('\n') : ''))
  if (named === '' || !current || !origin) return null
  const missing = named.split('\n')
  return (
    <div className="pb-5">
      <Notice
        tone="info"
        icon={Languages}
        title={t('editor.translation.title', { count: missing.length, language: current.name })}
      >
        {t('editor.translation.text', { fields: missing.join(', '), language: origin.name })}
      </Notice>
    </div>
  )
}

/** Labels of text fields whose value equals the one in the default language. */
function untranslated({ tabs }: Blueprint, origin: Content, values: Content): string[] {
  const fields = tabs.flatMap(sectionsOf).flatMap(({ fields: all = {} }) => Object.entries(all))
  return fields.flatMap(([name, { label, translate, type = '' }]) => {
    const key = name.toLowerCase()
    if (translate === false || !textTypes.has(type) || key === 'title') return []
    return readable(origin[key]) !== '' && equal(origin[key], values[key]) ? [label ?? name] : []
  })
}

/** Types of fields that contain text. A number or a date is the same in every language. */
const textTypes = new Set([
  'blocks',
  'layout',
  'list',
  'markdown',
  'structure',
  'tags',
  'text',
  'textarea',
  'writer',
  'object',
])
