import { fileForm } from '../../../client/client.ts'
import { client } from '../../app/client.ts'
import { watch } from '../../app/upload.ts'
import { isMap, textIn, type Values } from '../field.ts'
import { type PickerEntry, fileEntry, fileParts, idIn, resourcePathOf } from './sources.ts'
import { mustFit } from '../../files/size-limit.ts'

export interface UploadTarget {
  owner: string
  template: string | undefined
  accept: string | undefined
}

/** The target of uploads to a field. Undefined if uploads are disabled. */
export function uploadTargetOf(uploads: unknown, model: string): UploadTarget | undefined {
  if (uploads === false) return undefined
  const settings: Values = isMap(uploads) ? uploads : { template: uploads }
  const owner = resourcePathOf(settings['parent'], model)
  const accept = textIn(settings['accept'])
  return { owner, template: textIn(settings['template']), accept: accept === '*' ? undefined : accept }
}

/** Uploads a file to the owner. */
export async function upload(
  file: File,
  { owner, template }: UploadTarget,
  onProgress: (progress: number) => void,
): Promise<PickerEntry> {
  await mustFit(file)
  const form = watch(fileForm(file, { template }), { onProgress })
  const id = idIn(owner)
  const options = { select: fileParts }
  const { data } = await (owner.startsWith('/pages/')
    ? client.pages.files.upload({ id }, form, options)
    : owner.startsWith('/users/')
      ? client.users.files.upload({ id }, form, options)
      : client.site.files.upload(form, options))
  return fileEntry(data)
}
