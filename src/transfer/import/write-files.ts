import type { App } from '../../app.ts'
import { ownerOfFile } from '../../groups/files/files.ts'
import { templateMustBePossible } from '../../groups/files/rules.ts'
import { createId } from '../../platform/lib/id.ts'
import { useBlobs } from '../../platform/media/blobs.ts'
import type { Tx } from '../../platform/store/store.ts'
import type { Prepared } from './files.ts'
import type { FoundFile } from './folder.ts'
import {
  type ExistingFile,
  insertImportedFiles,
  type ImportedFileRow,
  selectExistingFiles,
  selectUsedUuids,
} from './queries.ts'
import { note, type ImportReport, skip } from './report.ts'
import { firstText, type ImportedModel } from './models.ts'

export interface FileOfOwner {
  found: FoundFile
  parent: string
  /** Whether the parent is new: then none of its files exist yet. */
  isNew: boolean
}

export interface ImportedFile extends ImportedModel {
  uuid: string
  name: string
  /** The changed columns of an existing file. */
  change: Partial<ImportedFileRow>
}

export const nameIn = (owner: string, name: string) => `${owner} ${name.toLowerCase()}`
export const byName = (rows: readonly ExistingFile[]) =>
  new Map(rows.map(row => [nameIn(row.parent, row.filename), row]))

interface FileWrite {
  prepared: ReadonlyMap<FoundFile, Prepared>
  report: ImportReport
  time: number
  dryRun: boolean
}

const metadata: ReadonlySet<string> = new Set(['uuid', 'template', 'sort'])

/** `released` are the hashes that the files no longer use, to release when all rows are written. */
export async function writeFiles({ blueprints }: App, tx: Tx, owned: readonly FileOfOwner[], writing: FileWrite) {
  const { prepared, report, time, dryRun } = writing
  const ready = owned.flatMap(({ found, parent, isNew }) => {
    const bytes = prepared.get(found)
    return bytes ? [{ found, parent, isNew, bytes, ...settingsOf(found, report) }] : []
  })
  const old = new Set(ready.flatMap(({ parent, isNew }) => (isNew ? [] : parent)))
  const rows = byName(await selectExistingFiles(tx, [...old]))
  const usedUuids = await selectUsedUuids(
    tx,
    ready.flatMap(({ uuid }) => uuid ?? []),
  )
  const files: ImportedFile[] = []
  const fresh: ImportedFileRow[] = []
  const released: string[] = []
  for (const { found, parent, bytes, ...settings } of ready) {
    const { template, sort } = settings
    const { fields } = blueprints.file(template ?? 'default')
    const base = { kind: 'files' as const, name: found.name, texts: found.texts, fields, columnNames: () => metadata }
    const { hash, size, kind, modified } = bytes
    const row = rows.get(nameIn(parent, found.name))
    if (row) {
      const isOther = row.hash !== hash
      if (isOther && !kind) {
        skip(report, found.file, 'this file was changed meanwhile; import again')
        continue
      }
      const change = {
        ...(row.template !== template && { template }),
        ...(row.sort !== sort && { sort }),
        ...(isOther && { hash, size, ...kind }),
      }
      if (isOther) released.push(row.hash)
      const isChanged = Object.keys(change).length > 0
      files.push({ ...base, owner: ownerOfFile(row.uuid), revision: row.revision, isChanged, uuid: row.uuid, change })
    } else if (kind) {
      const isTaken = settings.uuid === undefined || usedUuids.has(settings.uuid)
      if (isTaken && settings.uuid !== undefined)
        note(report, found.file, 'another file has its uuid; it has a new one')
      const uuid = isTaken ? createId() : settings.uuid!
      usedUuids.add(uuid)
      const modified_at = Math.min(modified, time)
      fresh.push({ uuid, parent, filename: found.name, ...kind, template, sort, size, hash, modified_at })
      files.push({ ...base, owner: ownerOfFile(uuid), revision: 0, isChanged: false, uuid, change: {} })
    } else skip(report, found.file, 'this file was deleted meanwhile; import again')
  }
  const inserted = await insertImportedFiles(tx, fresh)
  const healed = ready.flatMap(({ bytes }) => (bytes.isHealed === true ? { hash: bytes.hash } : []))
  const hashes = [...fresh, ...healed, ...files.map(({ change }) => change)].flatMap(({ hash }) => hash ?? [])
  if (!dryRun) await useBlobs(tx, hashes)
  return { files: files.filter(({ revision, uuid }) => revision > 0 || inserted.has(uuid)), released }
}

/** Values in the text of a file that are columns and not content. */
function settingsOf({ texts, file }: FoundFile, report: ImportReport) {
  const sort = firstText(texts, 'sort')
  const uuid = firstText(texts, 'uuid')
  const name = firstText(texts, 'template')
  let template: string | null = null
  try {
    template = templateMustBePossible(name)
  } catch {
    note(report, file, `invalid template name "${name}": none is used instead`)
  }
  return {
    uuid: /^[\w-]{1,64}$/.test(uuid) ? uuid : undefined,
    sort: /^-?\d{1,9}$/.test(sort) ? Number(sort) : null,
    template,
  }
}
