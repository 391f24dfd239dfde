import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../app/client.ts'
import { t } from '../../texts/texts.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { toast } from '../../ui/toast.ts'
import { parentId, toId, toPath } from '../id.ts'
import { pageIdOf } from '../page.ts'
import type { PageDialogProps } from './props.ts'
import { FormDialog } from './form-dialog.tsx'
import { TitleAndSlug } from './title-and-slug.tsx'

export function DuplicateDialog({ page, language, onClose }: PageDialogProps) {
  const navigate = useNavigate()
  const [value, setValue] = useState({
    title: t('pages.duplicate.name', { title: page.title }),
    slug: `${page.slug}-${t('pages.duplicate.slug')}`,
    isSlugEdited: true,
  })
  const [files, setFiles] = useState(page.hasFiles)
  const [children, setChildren] = useState(false)
  const above = parentId(pageIdOf(page))
  return (
    <FormDialog
      title={t('pages.duplicate.title')}
      description={t('pages.duplicate.text')}
      confirm={t('pages.duplicate')}
      disabled={value.title.trim() === '' || value.slug.trim() === ''}
      onClose={onClose}
      run={() =>
        client.pages.duplicate(
          { id: pageIdOf(page), language },
          { title: value.title, slug: value.slug, files, children },
        )
      }
      onDone={({ id }) => {
        toast({ tone: 'good', title: t('pages.duplicated') })
        return navigate({ to: '/pages/$id', params: { id: toId(id) } })
      }}
    >
      {errors => (
        <>
          <TitleAndSlug
            value={value}
            onChange={setValue}
            errors={errors}
            above={above === undefined ? '' : `/${toPath(above)}`}
          />
          {page.hasFiles && <Checkbox value={files} onChange={setFiles} label={t('pages.duplicate.files')} />}
          {(page.hasChildren || page.hasDrafts) && (
            <Checkbox value={children} onChange={setChildren} label={t('pages.duplicate.children')} />
          )}
        </>
      )}
    </FormDialog>
  )
}
