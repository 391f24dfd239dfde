import { client } from '../../app/client.ts'
import { watch } from '../../app/upload.ts'
import { isMap, textIn, type Values } from '../field.ts'
import { type Entry, fileEntry, idIn, ownerOf } from './sources.ts'

export interface UploadTarget {
  owner: string
  template: string | undefined
  accept: string | undefined
}

/** The target of uploads to a field. Undefined if uploads are disabled. */
export function uploadTargetOf(uploads: unknown, model: string): UploadTarget | undefined {
  if (uploads === false) return undefined
  const settings: Values = isMap(uploads) ? uploads : { template: uploads }
  const owner = ownerOf(settings['parent'], model)
  const accept = textIn(settings['accept'])
  return { owner, template: textIn(settings['template']), accept: accept === '*' ? undefined : accept }
}

/** Uploads a file to the owner. */
export async function upload(
  file: File,
  { owner, template }: UploadTarget,
  onProgress: (progress: number) => void,
): Promise<Entry> {
  const form = new FormData()
  if (template !== undefined) form.set('template', template)
  form.set('file', file)
  const sent = watch(form, { onProgress })
  const id = idIn(owner)
  const { data } = await (owner.startsWith('/pages/')
    ? client.pages.files.upload({ id }, sent)
    : owner.startsWith('/users/')
      ? client.users.files.upload({ id }, sent)
      : client.site.files.upload(sent))
  // One file was sent, so one is returned; with several, it would be a list.
  return fileEntry(data as Parameters<typeof fileEntry>[0])
}
