import { RefreshCw } from 'lucide-react'
import { t } from '../../texts/texts.ts'
import { Field } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Input } from '../../ui/input.tsx'
import { useSlugify } from '../use-slugify.ts'

export interface TitleAndSlugValue {
  title: string
  slug: string
  /** The user has edited the slug, so it no longer follows the title. */
  isSlugEdited: boolean
}

interface Props {
  value: TitleAndSlugValue
  onChange: (value: TitleAndSlugValue) => void
  errors: Readonly<Record<string, string>>
  /** The part of the URL before the slug. */
  above: string
  /** The content language of the slug, by default the default language. */
  language?: string | undefined
  titleDisabled?: boolean
  /** Only the slug, because the title is edited elsewhere. */
  slugOnly?: boolean
  slugDisabled?: boolean
  focus?: 'title' | 'slug'
}

export function TitleAndSlug({
  value,
  onChange,
  errors,
  above,
  language,
  titleDisabled,
  slugDisabled,
  slugOnly,
  focus = 'title',
}: Props) {
  const slugify = useSlugify(language)
  const { title, slug, isSlugEdited } = value
  return (
    <>
      {!slugOnly && (
        <Field label={t('pages.title')} required error={errors['title']}>
          <Input
            value={title}
            autoFocus={focus === 'title'}
            disabled={titleDisabled}
            onChange={next => onChange({ title: next, slug: isSlugEdited ? slug : slugify(next), isSlugEdited })}
          />
        </Field>
      )}
      <Field
        label={t('pages.slug')}
        required
        error={errors['slug']}
        help={<span className="font-mono">{`${above}/${slugify(slug) || '…'}`}</span>}
      >
        <Input
          value={slug}
          mono
          spellCheck={false}
          autoFocus={focus === 'slug'}
          disabled={slugDisabled}
          onChange={next => onChange({ title, slug: next, isSlugEdited: next !== '' })}
          action={
            <IconButton
              size="small"
              icon={RefreshCw}
              label={t('pages.slug.suggest')}
              disabled={slugDisabled}
              onClick={() => onChange({ title, slug: slugify(title), isSlugEdited: false })}
            />
          }
        />
      </Field>
    </>
  )
}
