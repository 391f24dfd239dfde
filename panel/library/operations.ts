import { useState } from 'react'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { queryClient } from '../app/query.ts'
import { toastWithUndo } from '../app/undo.ts'
import { clearDrafts } from '../editor/open-drafts.ts'
import { t } from '../texts/texts.ts'
import { useTrashDays } from '../trash/undo.ts'
import { toast } from '../ui/toast.ts'

/** What the operations need to know about a file. */
export interface MovableFile {
  uuid: string
  filename: string
  link: string
  /** The parent as the API takes it: the uuid or path of a page, `user://…`, or null for the site. */
  place: string | null
}

export interface RefusedFile {
  file: MovableFile
  reason: string
}

export type FileOperation = 'move' | 'copy' | 'delete'

type Results = Awaited<ReturnType<typeof client.site.library.delete>>

/** As many as the API takes at once. */
const batchSize = 200

/** Moves, copies and deletes several files, shows which were refused, and offers to undo it. */
export function useFileOperations() {
  const days = useTrashDays()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<readonly RefusedFile[]>([])

  /** `place` is the new parent of moved and copied files. Resolves to the results, also if some were refused. */
  async function run(
    operation: FileOperation,
    files: readonly MovableFile[],
    place: string | null = null,
  ): Promise<Results> {
    setBusy(true)
    try {
      const results = await inBatches(
        files.map(({ uuid }) => uuid),
        batch => send(operation, batch, place),
      )
      const failed = new Map(results.flatMap(({ uuid, error }) => (error ? [[uuid, error.message]] : [])))
      setRefused(files.flatMap(file => (failed.has(file.uuid) ? { file, reason: failed.get(file.uuid)! } : [])))
      const done = files.filter(({ uuid }) => !failed.has(uuid))
      if (operation !== 'copy') for (const { link } of done) clearDrafts(link)
      if (done.length > 0) toastDone(operation, done, results)
      return results
    } catch (error) {
      toast({ tone: 'danger', title: errorText(error) })
      return []
    } finally {
      setBusy(false)
      void refresh()
    }
  }

  function toastDone(operation: FileOperation, done: readonly MovableFile[], results: Results) {
    const [first] = done
    const title =
      done.length === 1
        ? t(`library.${operation}.one`, { name: first!.filename })
        : t(`library.${operation}.done`, { count: done.length })
    if (operation === 'delete' && days === 0) return toast({ tone: 'good', title })
    return toastWithUndo({
      title,
      undone: t(`library.${operation}.undone`),
      undo: async () => {
        await undo(operation, done, results)
        await refresh()
      },
    })
  }

  return { run, isBusy, refused, clearRefused: () => setRefused([]) }
}

function send(operation: FileOperation, files: string[], parent: string | null): Promise<Results> {
  if (operation === 'delete') return client.site.library.delete({ files })
  return operation === 'move'
    ? client.site.library.move({ files, parent })
    : client.site.library.copy({ files, parent })
}

async function undo(operation: FileOperation, files: readonly MovableFile[], results: Results): Promise<void> {
  if (operation === 'copy') {
    const copies = results.flatMap(({ file }) => file?.uuid ?? [])
    mustSucceed(await inBatches(copies, batch => send('delete', batch, null)))
  } else if (operation === 'move')
    for (const [place, moved] of Map.groupBy(files, file => file.place))
      mustSucceed(
        await inBatches(
          moved.map(({ uuid }) => uuid),
          batch => send('move', batch, place),
        ),
      )
  else
    for (const { uuid } of files) {
      const { data } = await client.site.trash.list({ uuid, limit: 1, select: ['id'] })
      await client.site.trash.restore({ id: data[0]?.id ?? '' }, {})
    }
}

function mustSucceed(results: Results): void {
  const failed = results.find(({ error }) => error)
  if (failed) throw new Error(failed.error!.message)
}

async function inBatches(uuids: readonly string[], run: (batch: string[]) => Promise<Results>): Promise<Results> {
  const results: Results[number][] = []
  for (let start = 0; start < uuids.length; start += batchSize)
    results.push(...(await run(uuids.slice(start, start + batchSize))))
  return results
}

/** Lists of files, and the pages whose content names them. */
const refresh = () =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey: [first] }) => ['files', 'sections', 'trash', 'pages', 'site'].includes(String(first)),
  })

const pauseMs = 400

/** Browsers drop downloads that begin at the same moment. */
export async function download(files: readonly { url: string; filename: string }[]): Promise<void> {
  for (const [index, { url, filename }] of files.entries()) {
    if (index > 0) await new Promise(resolve => setTimeout(resolve, pauseMs))
    const link = Object.assign(document.createElement('a'), { href: url, download: filename })
    document.body.append(link)
    link.click()
    link.remove()
  }
}
