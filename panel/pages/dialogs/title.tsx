import { useRef, useState } from 'react'
import { client } from '../../app/client.ts'
import { t } from '../../texts/texts.ts'
import { toast } from '../../ui/toast.ts'
import { type AddressChange, withSlug } from '../addresses.ts'
import { NewAddresses } from '../consequences.tsx'
import { toId, toPath, parentId } from '../id.ts'
import { pageIdOf } from '../page.ts'
import { useSlugs } from '../use-slugs.ts'
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
  const [before] = useState({ title, slug })
  const [value, setValue] = useState({ title, slug, isOwn: true })
  /** The title that was changed before the slug was refused. */
  const changed = useRef({ title, revision })
  const id = pageIdOf(page)
  const above = parentId(id)
  const slugOf = useSlugs()
  const after = value.slug === slug ? page.url : withSlug(page, slugOf(value.slug))
  const addresses: AddressChange[] =
    after === undefined ? [] : [{ language: undefined, before: decodeURI(page.url), after: decodeURI(after) }]

  async function run() {
    // The page may have been read again meanwhile.
    if (changed.current.revision < revision) changed.current = { title, revision }
    if (value.title !== changed.current.title) {
      const answer = await client.pages.changeTitle(
        { id, language, select: ['revision'] },
        { title: value.title, revision: changed.current.revision },
      )
      changed.current = { title: value.title, revision: answer.revision }
    }
    if (value.slug === slug) return id
    const { id: newId } = await client.pages.changeSlug(
      { id, language, select: ['id'] },
      { slug: value.slug, revision: changed.current.revision },
    )
    return toId(newId)
  }

  return (
    <FormDialog
      title={t(focus === 'title' ? 'pages.title.change' : 'pages.slug.change')}
      confirm={t('action.save')}
      disabled={value.title.trim() === '' || value.slug.trim() === ''}
      onClose={onClose}
      run={run}
      onDone={newId => {
        if (newId !== id) onMoved?.(newId)
        if (value.title !== before.title) toast({ tone: 'good', title: t('pages.title.changed') })
        else if (value.slug !== before.slug) toast({ tone: 'good', title: t('pages.slug.changed') })
      }}
    >
      {errors => (
        <>
          <TitleAndSlug
            value={value}
            onChange={setValue}
            errors={errors}
            focus={focus}
            slugOnly={focus === 'slug'}
            titleDisabled={options['changeTitle'] !== true}
            slugDisabled={options['changeSlug'] !== true}
            above={above === undefined ? '' : `/${toPath(above)}`}
          />
          <NewAddresses slugOnly page={page} addresses={addresses} />
        </>
      )}
    </FormDialog>
  )
}
