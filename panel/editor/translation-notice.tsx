import { useMutation, useQuery } from '@tanstack/react-query'
import { Languages } from 'lucide-react'
import { useMemo } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'
import { type Blueprint, sectionsOf } from './blueprint.ts'
import type { Draft } from './draft-state.ts'
import { equal } from './equal.ts'
import { useIdleValues } from './idle-values.ts'
import { readable } from './readable.ts'
import type { Content, ContentResource } from './content-resource.ts'

interface Props {
  resource: ContentResource
  blueprint: Blueprint
  draft: Draft
  /**
   * Set if no text is published in this language yet, and the user may do that: called after the texts were taken over.
   */
  onTaken: (() => void) | undefined
}

/** Lists the fields that still have the text of the default language. */
export function TranslationNotice({ resource, blueprint, draft, onTaken }: Props) {
  const { all, current } = useContentLanguage()
  const origin = all.find(language => language.default)
  const { data: content } = useQuery({
    queryKey: ['origin', resource.link],
    queryFn: () => resource.origin(origin?.code),
    staleTime: 30_000,
  })
  const values = useIdleValues(draft)
  const missing = useMemo(() => (content ? untranslated(blueprint, content, values) : []), [blueprint, content, values])
  const isChanged = draft.use(({ changed }) => changed.length > 0)
  const take = useMutation({
    mutationFn: () => takeOver(resource, blueprint, draft.get().values),
    onSuccess: () => {
      toast({ tone: 'good', title: t('editor.taken', { language: current?.name ?? '' }) })
      onTaken?.()
    },
  })
  if (missing.length === 0 || !current || !origin) return null
  return (
    <div className="pb-5">
      <Notice
        tone="info"
        icon={Languages}
        title={t('editor.translation.title', { count: missing.length, language: current.name })}
        action={
          onTaken &&
          !isChanged && (
            <Button size="small" busy={take.isPending} onClick={() => take.mutate()}>
              {t('editor.take')}
            </Button>
          )
        }
      >
        <p>{t('editor.translation.text', { fields: missing.join(', '), language: origin.name })}</p>
        {onTaken && <p>{t('editor.translation.follows', { language: origin.name })}</p>}
      </Notice>
    </div>
  )
}

/** Publishes the texts of the default language as those of this one: `$overwrite` stores them although they are equal. */
function takeOver(resource: ContentResource, { tabs }: Blueprint, values: Content): Promise<unknown> {
  const fields = tabs.flatMap(sectionsOf).flatMap(({ fields: all = {} }) => Object.entries(all))
  const taken = fields.flatMap(([name, { translate }]) => {
    const value = values[name.toLowerCase()]
    return translate === false || value === undefined ? [] : [[name.toLowerCase(), { $overwrite: value }] as const]
  })
  return resource.changes.publish(Object.fromEntries(taken), {})
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
