import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers'
import type { createSearchIndexBuffer } from './search-index-buffer.ts'

/** SQLite rolled back the whole group commit because of another member; retrying is safe. */
export class GroupRolledBack extends Error {
  constructor() {
    super('the transaction was undone together with another one')
    this.name = 'GroupRolledBack'
  }
}

interface Member {
  /** Whether it has buffered rows for the search index. */
  hasIndexRows: boolean
  resolve: () => void
  reject: (error: unknown) => void
}

/** Maximum number of members; a full group is committed at once. */
const maxMembers = 64

/**
 * Transactions that end in the same turn of the event loop are committed together, with one fsync. Each is a savepoint,
 * so rolling one back does not affect the others. None is reported as committed before it is on the disk.
 */
export function createGroupCommit(db: DatabaseSync, indexBuffer: ReturnType<typeof createSearchIndexBuffer>) {
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
      indexBuffer.write()
      isIndexed = true
      db.exec('commit')
    } catch (error) {
      indexBuffer.discard()
      if (db.isTransaction) db.exec('rollback')
      // If writing the search index failed, only members that changed it get the error; the others can be retried.
      for (const { hasIndexRows, reject } of ended) reject(isIndexed || hasIndexRows ? error : new GroupRolledBack())
      return
    }
    for (const { resolve } of ended) resolve()
  }

  return {
    /** Begins the transaction of the next member. Throws SQLITE_BUSY if another process is writing. */
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

    /**
     * Ends the transaction of the member. The promise resolves when the group is on the disk, also for a member that is
     * rolled back, because it may have read what others wrote.
     */
    leave(keep: boolean): Promise<void> {
      isInside = false
      // Some errors, such as a full disk, have rolled back the whole group already.
      if (db.isTransaction) {
        if (!keep) db.exec('rollback to member')
        release.run()
      }
      const hasIndexRows = indexBuffer.endTransaction(keep)
      const ended = new Promise<void>((resolve, reject) => members.push({ hasIndexRows, resolve, reject }))
      if (isDue || members.length >= maxMembers || indexBuffer.isFull() || !db.isTransaction) settle()
      return ended
    },

    /** Commits the open group. Called before any statement outside a transaction, which must not become part of it. */
    settle,
  }
}
