import { errorText, hasKey } from '../app/errors.ts'
import { keys, queryClient } from '../app/query.ts'
import { createStore } from '../app/store.ts'
import { watch } from '../app/upload.ts'
import { type FileBrief, type FileParent, filesOf, keyOf } from './parent.ts'

export interface Upload {
  id: number
  file: File
  /** What it will be called; another name than that of the file if that one was taken. */
  name: string
  status: 'waiting' | 'sending' | 'done' | 'failed'
  /** From 0 to 1. */
  progress: number
  error?: string | undefined
  /** There is another file of that name. */
  isTaken?: boolean | undefined
  result?: FileBrief | undefined
}

export interface UploadOptions {
  parent: FileParent
  template?: string | undefined
  /** Each file that has arrived. */
  onUploaded?: ((file: FileBrief) => void) | undefined
}

/** What is sent to one place, a few at a time. It goes on when nobody looks. */
export function createUploads(options: () => UploadOptions) {
  const store = createStore<readonly Upload[]>([])
  const stops = new Map<number, AbortController>()
  let last = 0

  const change = (id: number, part: Partial<Upload>) =>
    store.set(store.get().map(upload => (upload.id === id ? { ...upload, ...part } : upload)))

  function proceed(): void {
    const sending = store.get().filter(({ status }) => status === 'sending').length
    for (const next of store
      .get()
      .filter(({ status }) => status === 'waiting')
      .slice(0, atOnce - sending))
      void send(next)
  }

  async function send({ id, file, name }: Upload): Promise<void> {
    const { parent, template, onUploaded } = options()
    const stop = new AbortController()
    stops.set(id, stop)
    change(id, { status: 'sending', progress: 0, error: undefined, isTaken: undefined })
    const form = new FormData()
    if (template !== undefined) form.set('template', template)
    form.set('file', file, name)
    const onProgress = (progress: number) => change(id, { progress })
    try {
      const result = await filesOf(parent).upload(watch(form, { onProgress, signal: stop.signal }))
      change(id, { status: 'done', progress: 1, result })
      setTimeout(() => remove(id), seenFor)
      await queryClient.invalidateQueries({ queryKey: keys.files(keyOf(parent)) })
      onUploaded?.(result)
    } catch (error) {
      if (!stop.signal.aborted)
        change(id, { status: 'failed', error: errorText(error), isTaken: hasKey(error, 'file.duplicate') })
    } finally {
      stops.delete(id)
      proceed()
    }
  }

  const remove = (id: number) => {
    stops.get(id)?.abort()
    store.set(store.get().filter(upload => upload.id !== id))
    proceed()
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
      proceed()
    },
    /** Stops what is under way, and forgets it. */
    remove,
    retry(id: number): void {
      change(id, { status: 'waiting' })
      proceed()
    },
    /** Beside the file that has the name. */
    keepBoth(id: number): void {
      const upload = store.get().find(one => one.id === id)
      if (upload) change(id, { name: nextName(upload.name), status: 'waiting' })
      proceed()
    },
    clear(): void {
      store.set(store.get().filter(({ status }) => status === 'waiting' || status === 'sending'))
    },
  }
}

export type Uploads = ReturnType<typeof createUploads>

const atOnce = 3
/** What has arrived is among the files, and soon no longer of interest here; in milliseconds. */
const seenFor = 5000

/** `gears.png` → `gears-2.png` → `gears-3.png` */
function nextName(name: string): string {
  const [, base = name, number, extension = ''] = /^(.*?)(?:-(\d{1,4}))?(\.[^.]*)?$/s.exec(name) ?? []
  return `${base}-${Number(number ?? 1) + 1}${extension}`
}

/** Pictures from the clipboard are all called alike. */
export function named(file: File, now = new Date()): File {
  if (!/^image\.\w+$/i.test(file.name)) return file
  const stamp = now.toISOString().slice(0, 19).replaceAll(/\D/g, '-')
  return new File([file], `${stamp}.${file.name.split('.').at(-1)!}`, { type: file.type })
}
