import type { App } from '../../app.ts'
import { fileBlueprintOf } from '../../groups/files/blueprint.ts'
import { ownerOfFile } from '../../groups/files/files.ts'
import { note, skip } from '../import/report.ts'
import { chunks } from '../../platform/lib/chunks.ts'
import { readContents, type TextFields, writeContents, type ExportContext } from './contents.ts'
import { type ExportedFileRow, selectExportedFiles } from './queries.ts'
import type { ExportReport } from './report.ts'
import type { ExportFolder } from './target.ts'

export interface ExportRun extends ExportContext {
  /** Its store reads from the snapshot that is exported. */
  app: App
  report: ExportReport
}

/** An owner of files, the folder of its files, and the file name that its own text occupies there. */
export interface ExportedOwner {
  owner: string
  folder: ExportFolder
  text: string
}

const metadata: ReadonlySet<string> = new Set(['uuid', 'template', 'sort'])
const copiesAtOnce = 8

/** Writes all files of these owners, with their contents. */
export async function writeFiles(run: ExportRun, owners: readonly ExportedOwner[]): Promise<void> {
  const { store } = run.app
  const byOwner = new Map(owners.map(owner => [owner.owner, owner]))
  const files = await selectExportedFiles(store, [...byOwner.keys()])
  for (const batch of chunks(files, 200)) {
    const contents = await readContents(
      store,
      batch.map(({ uuid }) => ownerOfFile(uuid)),
    )
    const rest = batch.values()
    const copyNext = async () => {
      for (const file of rest) {
        const { folder, text } = byOwner.get(file.parent)!
        if (!(await copyBytes(run, folder, text, file))) continue
        const { uuid, filename: name, modified_at: modified } = file
        const after = ({ key, fallback }: { key: string; fallback: string }) =>
          key === fallback ? settingsOf(file) : []
        const { fields } = fileBlueprintOf(run.app, file)
        const described = { owner: ownerOfFile(uuid), name, fields, modified, after, excludedFields: () => metadata }
        writeContents(run, folder, described, contents)
      }
    }
    await Promise.all(Array.from({ length: copiesAtOnce }, copyNext))
  }
}

async function copyBytes(
  { app, target, report }: ExportRun,
  folder: ExportFolder,
  text: string,
  file: ExportedFileRow,
): Promise<boolean> {
  const { filename, hash, modified_at } = file
  const shown = `${folder.shown}/${filename}`
  if (filename === text) {
    skip(report, shown, 'it is called like the text of its page')
    return false
  }
  if (filename.startsWith('_')) note(report, shown, 'whatever reads such a folder passes over names that begin with _')
  const copied = await app.media.borrow(hash, path => target.copy(folder, filename, path, modified_at))
  if (copied === undefined) skip(report, shown, 'its bytes are missing')
  if (copied) report.counts.files++
  return copied === true
}

function settingsOf({ uuid, template, sort }: ExportedFileRow): TextFields {
  return [
    ...(sort === null ? [] : ([['sort', String(sort)]] as TextFields)),
    ...(template === null ? [] : ([['template', template]] as TextFields)),
    ['uuid', uuid],
  ]
}
