import { type FSWatcher, watch } from 'node:fs'

/** Long enough for an editor that writes in several steps. */
const calm = 100
const rounds = 3

export interface Watched {
  folder: string
  /** The only name in it that counts. */
  only?: string
}

/**
 * Calls `read` a moment after something has changed in these folders. Which they are is asked again each time: folders
 * come and go. Keeps no process alive.
 */
export function watchFolders(folders: () => readonly Watched[], read: () => void): () => void {
  let watchers: FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined

  function arm(): readonly Watched[] {
    for (const watcher of watchers) watcher.close()
    const watched = folders()
    watchers = watched.flatMap(open)
    return watched
  }

  function open({ folder, only }: Watched): FSWatcher[] {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (only === undefined || name === null || name === only) settle()
      })
      return [watcher.on('error', settle)]
    } catch {
      return [] // gone before it could be watched; the folder it lay in is watched as well
    }
  }

  function settle(): void {
    clearTimeout(timer)
    timer = setTimeout(refresh, calm).unref()
  }

  /** Watched before it is read: what is written in between is not missed. */
  function refresh(): void {
    for (let round = 0; round < rounds; round++) {
      const watched = arm()
      read()
      if (isSame(watched, folders())) return
    }
  }

  refresh()
  return () => {
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}

const isSame = (one: readonly Watched[], other: readonly Watched[]) =>
  one.length === other.length && one.every(({ folder }, index) => folder === other[index]!.folder)
