import { useMemo } from 'react'
import { can, useSession } from '../app/session.ts'
import { Editor } from '../editor/editor.tsx'
import { fileResource, type ContentResource } from '../editor/content-resource.ts'
import { useDraft } from '../editor/use-draft.ts'
import type { FileModel, FileParent } from './parent.ts'

/** The file as a content resource, to be edited in a form. */
export function useFileResource(parent: FileParent, filename: string, language: string | undefined): ContentResource {
  const { kind } = parent
  const id = kind === 'site' ? '' : parent.id
  return useMemo(
    () =>
      fileResource(kind === 'site' ? { kind } : { kind: kind === 'page' ? 'pages' : 'users', id }, filename, language),
    [kind, id, filename, language],
  )
}

interface Props {
  resource: ContentResource
  file: FileModel
  onChanged: () => void
}

/** The form with the content of the file. */
export function FileContent({ resource, file, onChanged }: Props) {
  const { user } = useSession()
  const { content, revision } = file
  const published = useMemo(() => ({ content, revision }), [content, revision])
  const draft = useDraft(resource, published)
  const isLocked = draft.use(({ lock }) => lock !== undefined)
  if (file.blueprint.tabs.length === 0) return null
  const canUpdate = file.options['update'] === true || (isLocked && can(user, 'files.update'))
  return (
    <Editor resource={resource} blueprint={file.blueprint} draft={draft} canUpdate={canUpdate} onChanged={onChanged} />
  )
}
