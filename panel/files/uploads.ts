import { fileForm } from '../../client/client.ts'
import { errorText, hasKey } from '../app/errors.ts'
import { keys, queryClient } from '../app/query.ts'
import { createStore } from '../app/store.ts'
import { watch } from '../app/upload.ts'
import type * as SameFileModule from './same-file.ts'
import { mustFit } from './size-limit.ts'
import { type FileBrief, type FileParent, filesOf, keyOf } from './parent.ts'

type SameFile = SameFileModule.SameFile

export interface Upload {
  id: number
  file: File
  /** The target filename. It differs from the name of the file if that was taken. */
  name: string
  /** `known`: the same file is elsewhere on the site, and could be copied. */
  status: 'waiting' | 'sending' | 'done' | 'failed' | 'known'
  /** From 0 to 1. */
  progress: number
  error?: string | undefined
  /** A file with this name exists. */
  isTaken?: boolean | undefined
  result?: FileBrief | undefined
  same?: SameFile | undefined
  /** The user wants to upload it although it is known. */
  isForced?: boolean
}

/** How many are done, have failed, and are still to be sent. The others wait for a decision. */
export function countOf(all: readonly Upload[]) {
  const count = (...statuses: Upload['status'][]) => all.filter(({ status }) => statuses.includes(status)).length
  return { done: count('done'), failed: count('failed'), sending: count('waiting', 'sending') }
}

export interface UploadOptions {
  parent: FileParent
  template?: string | undefined
  /** Called for each uploaded file. */
  onUploaded?: ((file: FileBrief) => void) | undefined
}

/** A queue of uploads to one parent, a few at a time. It continues when its component unmounts. */
export function createUploads(options: () => UploadOptions) {
  const store = createStore<readonly Upload[]>([])
  const abortControllers = new Map<number, AbortController>()
  let last = 0
  let hideTimer: ReturnType<typeof setTimeout> | undefined

  const change = (id: number, part: Partial<Upload>) =>
    store.set(store.get().map(upload => (upload.id === id ? { ...upload, ...part } : upload)))

  function sendNext(): void {
    hideWhenAllAreDone()
    const sending = store.get().filter(({ status }) => status === 'sending').length
    for (const next of store
      .get()
      .filter(({ status }) => status === 'waiting')
      .slice(0, maxConcurrent - sending))
      void send(next)
  }

  async function send({ id, file, name, same, isForced }: Upload): Promise<void> {
    const { parent, template, onUploaded } = options()
    const abortController = new AbortController()
    abortControllers.set(id, abortController)
    change(id, { status: 'sending', progress: 0, error: undefined, isTaken: undefined })
    const form = fileForm(file, { name, template })
    const onProgress = (progress: number) => change(id, { progress })
    try {
      if (!same) await mustFit(file)
      const found = same || isForced ? undefined : await findSame(file, parent, template)
      if (found) {
        change(id, { status: 'known', same: found })
        return
      }
      const result = same
        ? await (await loadSame()).copySame(same, parent)
        : await filesOf(parent).upload(watch(form, { onProgress, signal: abortController.signal }))
      change(id, { status: 'done', progress: 1, result })
      await queryClient.invalidateQueries({ queryKey: keys.files(keyOf(parent)) })
      onUploaded?.(result)
    } catch (error) {
      if (!abortController.signal.aborted)
        change(id, { status: 'failed', error: errorText(error), isTaken: hasKey(error, 'file.duplicate') })
    } finally {
      abortControllers.delete(id)
      sendNext()
    }
  }

  /** Finished uploads disappear together, when none is left that is pending or has failed. */
  function hideWhenAllAreDone(): void {
    clearTimeout(hideTimer)
    if (store.get().every(({ status }) => status === 'done')) hideTimer = setTimeout(() => store.set([]), visibleMs)
  }

  const remove = (id: number) => {
    abortControllers.get(id)?.abort()
    store.set(store.get().filter(upload => upload.id !== id))
    sendNext()
  }

  return {
    use: store.use,
    add(files: Iterable<File>): void {
      const added = [...files].map(file => ({
        id: ++last,
        file,
        name: file.name,
        status: 'waiting' as const,
        progress: 0,
      }))
      store.set([...store.get().filter(({ status }) => status !== 'done'), ...added])
      sendNext()
    },
    /** Cancels an upload and removes it from the list. */
    remove,
    retry(id: number): void {
      change(id, { status: 'waiting' })
      sendNext()
    },
    /** Uploads under another name, next to the existing file. */
    keepBoth(id: number): void {
      const upload = store.get().find(candidate => candidate.id === id)
      if (upload) change(id, { name: nextName(upload.name), status: 'waiting' })
      sendNext()
    },
    /** Copies the known file instead of uploading it. */
    copy(id: number): void {
      change(id, { status: 'waiting' })
      sendNext()
    },
    /** Uploads a file although it is known. */
    force(id: number): void {
      change(id, { status: 'waiting', same: undefined, isForced: true })
      sendNext()
    },
    clear(): void {
      store.set(store.get().filter(({ status }) => status === 'waiting' || status === 'sending'))
    },
  }
}

const loadSame = () => import('./same-file.ts')

/** If the search for the same file fails, the file is uploaded as if it were new. */
async function findSame(...file: Parameters<typeof SameFileModule.findSame>): Promise<SameFile | undefined> {
  try {
    return await (await loadSame()).findSame(...file)
  } catch {
    return undefined
  }
}

export type Uploads = ReturnType<typeof createUploads>

const maxConcurrent = 3
/** How long finished uploads stay in the list, in milliseconds. */
const visibleMs = 5000

/** `gears.png` → `gears-2.png` → `gears-3.png` */
function nextName(name: string): string {
  const [, base = name, number, extension = ''] = /^(.*?)(?:-(\d{1,4}))?(\.[^.]*)?$/s.exec(name) ?? []
  return `${base}-${Number(number ?? 1) + 1}${extension}`
}

/** Browsers give every pasted image the same name. */
export function withPastedName(file: File, now = new Date()): File {
  if (!/^image\.\w+$/i.test(file.name)) return file
  const stamp = now.toISOString().slice(0, 19).replaceAll(/\D/g, '-')
  return new File([file], `${stamp}.${file.name.split('.').at(-1)!}`, { type: file.type })
}
