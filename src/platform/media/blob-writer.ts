import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createId } from '../lib/id.ts'
import { openWorkerThread, sendProblem, sendResult } from '../lib/worker-calls.ts'
import type { Blob } from './media.ts'
import { type Sync, syncEach, syncFor } from './sync.ts'

/** From this number of blobs on, a worker thread and a sync of the whole file system are faster. */
export const threadThreshold = 50

/** Bytes under temporary names, and the paths they are to be moved to. */
interface StagedBlobs {
  moves: { path: string; place: string }[]
  /** Folders whose entries change: they have to be synced as well. */
  folders: string[]
}

/** Stores all blobs synchronously. The bytes are synced before the files are renamed, the folders afterwards. */
export function writeBlobs(folder: string, blobs: readonly Blob[]): void {
  const staged = stage(folder, blobs)
  syncEach(pathsIn(staged), [])
  move(staged)
  syncEach([], staged.folders)
}

function stage(folder: string, blobs: readonly Blob[]): StagedBlobs {
  const run = createId(20)
  const fresh = new Map(blobs.map(({ hash, bytes }) => [blobPath(folder, hash), bytes] as const))
  // A file of another size is damaged: it is replaced.
  for (const [place, { length }] of fresh)
    if (statSync(place, { throwIfNoEntry: false })?.size === length) fresh.delete(place)
  if (fresh.size === 0) return { moves: [], folders: [] }
  const parents = Array.from(new Set(Array.from(fresh.keys(), dirname)), makeFolder)
  makeFolder(join(folder, 'tmp'))
  const moves = Array.from(fresh, ([place, bytes], index) => {
    const path = join(folder, 'tmp', `${run}${index}`)
    writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 })
    return { path, place }
  })
  const above = parents.some(({ isNew }) => isNew) ? [folder, dirname(folder)] : []
  return { moves, folders: [...parents.map(({ path }) => path), ...above] }
}

const pathsIn = ({ moves }: StagedBlobs) => moves.map(({ path }) => path)

function move({ moves }: StagedBlobs): void {
  for (const { path, place } of moves) renameSync(path, place)
}

export const blobPath = (folder: string, hash: string) => join(folder, hash.slice(0, 2), hash)

function makeFolder(path: string): { path: string; isNew: boolean } {
  return { path, isNew: mkdirSync(path, { recursive: true, mode: 0o700 }) !== undefined }
}

// ---- the worker thread

interface WriteRequest {
  id: number
  blobs: readonly Blob[]
}

/**
 * Starts the worker thread: creating a file takes the system longer than everything else here, and would block the
 * event loop. `onEnd` is called when the thread takes no more requests; all previous ones are on the disk then, or have
 * been rejected.
 */
export function openBlobWriter(folder: string, onEnd: () => void): (blobs: readonly Blob[]) => Promise<void> {
  const worker = openWorkerThread<Pick<WriteRequest, 'blobs'>, void>(import.meta.url, {
    workerData: { keepsIn: folder },
    resourceLimits,
    onEnd,
  })
  return blobs => worker.call({ blobs })
}

/** The worker needs little heap. */
const resourceLimits = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 64 }

/**
 * One sync covers all requests that have arrived in the meantime: it makes the bytes of the latest requests durable,
 * and the renames of those before them.
 */
function serve(folder: string): void {
  let sync: Sync | undefined
  let waiting: WriteRequest[] = []
  let moved: (StagedBlobs & { id: number })[] = []
  let isBusy = false

  async function work(): Promise<void> {
    isBusy = true
    while (waiting.length + moved.length > 0) {
      const orders = waiting
      waiting = []
      const staged = each(orders, ({ id, blobs }) => ({ id, ...stage(folder, blobs) }))
      const before = moved
      moved = []
      try {
        sync ??= syncFor(folder)
        await sync(
          staged.flatMap(pathsIn),
          before.flatMap(({ folders }) => folders),
        )
      } catch (error) {
        for (const { id } of [...before, ...staged]) sendProblem(id, error)
        continue
      }
      for (const { id } of before) sendResult(id)
      moved = each(staged, one => {
        move(one)
        return one
      })
    }
    isBusy = false
  }

  parentPort!.on('message', (order: WriteRequest) => {
    waiting.push(order)
    if (!isBusy) void work()
  })
}

/** Reports a failed request to its sender; the others continue. */
function each<Item extends { id: number }, Result>(items: Item[], work: (item: Item) => Result): Result[] {
  return items.flatMap(item => {
    try {
      return work(item)
    } catch (error) {
      sendProblem(item.id, error)
      return []
    }
  })
}

const threadData = workerData as { keepsIn?: string } | null
if (threadData?.keepsIn !== undefined) serve(threadData.keepsIn)
