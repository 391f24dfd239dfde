import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import type { createSearchIndexBuffer } from './search-index-buffer.ts'

/** For the members of a group that was lost because of one of them: whatever they did is undone, so they can do it again. */
export class GroupRolledBack extends Error {
  constructor() {
    super('the transaction was undone together with another one')
    this.name = 'GroupRolledBack'
  }
}

interface Member {
  /** Whether it has something for the search index. */
  waits: boolean
  resolve: () => void
  reject: (error: unknown) => void
}

/** More than this wait for the disk together only if they come in the same moment. */
const most = 64

/**
 * Transactions that end within one turn of the event loop are put on the disk together: they wait for it once. Each is a
 * savepoint, so one that is taken back takes nothing else with it, and none of them is told that it is kept before it is.
 */
export function createGroupCommit(db: DatabaseSync, waiting: ReturnType<typeof createSearchIndexBuffer>) {
  const [save, release] = [db.prepare('savepoint member'), db.prepare('release member')]
  let members: Member[] = []
  let isOpen = false
  let isInside = false
  let isDue = false

  function settle(): void {
    if (!isOpen) return
    const ended = members
    members = []
    isOpen = isDue = false
    let isIndexed = false
    try {
      if (!db.isTransaction) throw new GroupRolledBack()
      waiting.write()
      isIndexed = true
      db.exec('commit')
    } catch (error) {
      waiting.forget()
      if (db.isTransaction) db.exec('rollback')
      // A search index that is out of order is no matter of those who have nothing to do with it.
      for (const { waits, reject } of ended) reject(isIndexed || waits ? error : new GroupRolledBack())
      return
    }
    for (const { resolve } of ended) resolve()
  }

  return {
    /** Begins the transaction of the next member. Throws as SQLite does when another process is writing. */
    enter(): void {
      if (!isOpen) {
        db.exec('begin immediate')
        isOpen = true
        setImmediate(() => {
          if (isInside) isDue = true
          else settle()
        })
      }
      save.run()
      isInside = true
    },

    /** Ends it. The promise is kept when it is on the disk; also for one that is taken back, which may have read what others wrote. */
    leave(keep: boolean): Promise<void> {
      isInside = false
      // Some errors, such as a full disk, undo everything at once.
      if (db.isTransaction) {
        if (!keep) db.exec('rollback to member')
        release.run()
      }
      const waits = waiting.leave(keep)
      const ended = new Promise<void>((resolve, reject) => members.push({ waits, resolve, reject }))
      if (isDue || members.length >= most || waiting.isFull() || !db.isTransaction) settle()
      return ended
    },

    /** For whatever is not a transaction: it must not become part of one. */
    settle,
  }
}
