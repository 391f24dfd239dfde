import { useRef, useState } from 'react'
import { client } from '../../app/client.ts'
import { t } from '../../texts/texts.ts'
import { toast } from '../../ui/toast.ts'
import { type AddressChange, pathAboveSlug, withSlug } from '../addresses.ts'
import { NewAddresses } from '../consequences.tsx'
import { toId, toPath, parentId } from '../id.ts'
import { pageIdOf } from '../page.ts'
import { useSlugify } from '../use-slugify.ts'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'
import { TitleAndSlug } from './title-and-slug.tsx'

/** Title and slug in one dialog, because they are often changed together; or the slug alone. */
export function TitleDialog({
  page,
  language,
  focus,
  onClose,
  onMoved,
}: PageDialogProps & { focus: 'title' | 'slug' }) {
  const { title, slug, options, revision } = page
  const slugOnly = focus === 'slug'
  /** When the dialog opened. `page` is read again while it is open. */
  const [before] = useState({ title, slug })
  const [value, setValue] = useState({ title, slug, isSlugEdited: true })
  /** Title and revision on the server: the title may be saved before the slug is refused. */
  const saved = useRef({ title, revision })
  const id = pageIdOf(page)
  const parent = parentId(id)
  const slugify = useSlugify(language)
  const after = value.slug === before.slug ? page.url : withSlug(page, slugify(value.slug))
  const addresses: AddressChange[] =
    after === undefined ? [] : [{ language: undefined, before: decodeURI(page.url), after: decodeURI(after) }]

  async function run() {
    // A newer revision counts only if it has the slug and the title that the dialog shows. Otherwise someone else has
    // changed them: the server refuses the old revision.
    const isShown = slug === before.slug && (slugOnly || [saved.current.title, value.title].includes(title))
    if (isShown && revision > saved.current.revision) saved.current = { title, revision }
    if (!slugOnly && value.title !== saved.current.title) {
      const answer = await client.pages.changeTitle(
        { id, language, select: ['revision'] },
        { title: value.title, revision: saved.current.revision },
      )
      saved.current = { title: value.title, revision: answer.revision }
    }
    if (value.slug === before.slug) return id
    const { id: newId } = await client.pages.changeSlug(
      { id, language, select: ['id'] },
      { slug: value.slug, revision: saved.current.revision },
    )
    return toId(newId)
  }

  return (
    <FormDialog
      title={t(slugOnly ? 'pages.slug.change' : 'pages.title.change')}
      confirm={t('action.save')}
      disabled={value.title.trim() === '' || value.slug.trim() === ''}
      onClose={onClose}
      run={run}
      onDone={newId => {
        if (newId !== id) onMoved?.(newId)
        if (!slugOnly && value.title !== before.title) toast({ tone: 'good', title: t('pages.title.changed') })
        else if (value.slug !== before.slug) toast({ tone: 'good', title: t('pages.slug.changed') })
      }}
    >
      {errors => (
        <>
          <TitleAndSlug
            value={slugOnly ? { ...value, title } : value}
            onChange={setValue}
            errors={errors}
            language={language}
            focus={focus}
            slugOnly={slugOnly}
            titleDisabled={options['changeTitle'] !== true}
            slugDisabled={options['changeSlug'] !== true}
            above={pathAboveSlug(page) ?? (parent === undefined ? '' : `/${toPath(parent)}`)}
          />
          <NewAddresses slugOnly page={page} addresses={addresses} />
        </>
      )}
    </FormDialog>
  )
}
