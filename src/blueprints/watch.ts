import { type FSWatcher, watch } from 'node:fs'

/** Debounce in ms: some editors save a file in several steps. */
const debounceMs = 100
const maxRounds = 3

export interface WatchedFolder {
  folder: string
  /** Ignore changes of other names in this folder. */
  only?: string
}

/**
 * Calls `read` shortly after a change in these folders. The list of folders is evaluated again each time, because
 * folders are created and removed. The watchers do not keep the process alive.
 */
export function watchFolders(folders: () => readonly WatchedFolder[], read: () => void): () => void {
  let watchers: FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined

  function openWatchers(): readonly WatchedFolder[] {
    for (const watcher of watchers) watcher.close()
    const watched = folders()
    watchers = watched.flatMap(open)
    return watched
  }

  function open({ folder, only }: WatchedFolder): FSWatcher[] {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (only === undefined || name === null || name === only) debounce()
      })
      return [watcher.on('error', debounce)]
    } catch {
      return [] // removed before it could be watched; its parent folder is watched too
    }
  }

  function debounce(): void {
    clearTimeout(timer)
    timer = setTimeout(refresh, debounceMs).unref()
  }

  /** Starts watching before it reads, so that no change in between is missed. */
  function refresh(): void {
    for (let round = 0; round < maxRounds; round++) {
      const watched = openWatchers()
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

const isSame = (one: readonly WatchedFolder[], other: readonly WatchedFolder[]) =>
  one.length === other.length && one.every(({ folder }, index) => folder === other[index]!.folder)
