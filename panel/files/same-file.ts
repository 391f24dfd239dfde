import { client } from '../app/client.ts'
import { toId } from '../pages/id.ts'
import { type FileBrief, type FileParent, filesOf } from './parent.ts'

/** Larger files are not looked for: they would have to be in memory as a whole. */
const maxBytes = 64 * 1024 * 1024
const select = { filename: '', template: '', uuid: '', parent: ['id', 'kind', 'title'] } as const

const readSame = (hash: string) => client.site.library.list({ hash, limit: 20, select })

/** A file with the same bytes that belongs to another page or to the site. */
export type SameFile = Awaited<ReturnType<typeof readSame>>['data'][number]

/** Looks for a file that can be copied instead of being uploaded once more. Undefined if it is uploaded. */
export async function findSame(file: File, parent: FileParent, template?: string): Promise<SameFile | undefined> {
  // Browsers have no `subtle` without HTTPS.
  const subtle = crypto.subtle as SubtleCrypto | undefined
  if (!subtle || parent.kind === 'user' || file.size > maxBytes) return undefined
  const digest = new Uint8Array(await subtle.digest('SHA-256', await file.arrayBuffer()))
  const hash = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
  const { data } = await readSame(hash)
  if (data.some(same => isAt(same, parent))) return undefined
  return data.find(same => same.parent.kind !== 'user' && (template === undefined || same.template === template))
}

const isAt = ({ parent: { id, kind } }: SameFile, parent: FileParent) =>
  kind === parent.kind && (parent.kind === 'site' || toId(id ?? '') === parent.id)

/** Copies the file, with its content, to the parent. */
export async function copySame({ uuid }: SameFile, parent: FileParent): Promise<FileBrief> {
  const place = parent.kind === 'site' ? null : parent.id.replaceAll('+', '/')
  const [result] = await client.site.library.copy({ files: [uuid], parent: place })
  if (!result?.file) throw new Error(result?.error?.message)
  return filesOf(parent).get(result.file.id.split('/').at(-1)!)
}
