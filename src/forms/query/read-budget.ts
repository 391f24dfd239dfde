import type { RequestContext } from '../../http/context.ts'

/** So often all queries of one request together look into the store. */
const maxReads = 200
/** So many of one kind that are read at the same time, as for the things of a list, are read by one statement. */
const maxBatch = 100

/** The queries of a request have read all that they may: whatever else they ask for is not there. */
export class ReadBudgetExceeded extends Error {}

/** What the queries of one request have read, and how much more they may. */
export interface ReadBudget {
  ctx: RequestContext
  /**
   * What was read under this name before, or else what is read now: `files page://…`. The first word says what kind of a
   * read it is, and each kind is `batched`. Fails with `Enough` when there has been enough: the query gives nothing.
   */
  read: <Value>(name: string, load: () => Promise<Value>) => Promise<Value>
}

const budgets = new WeakMap<RequestContext, ReadBudget>()

export function readBudgetOf(ctx: RequestContext): ReadBudget {
  let budget = budgets.get(ctx)
  if (!budget) budgets.set(ctx, (budget = createReadBudget(ctx)))
  return budget
}

function createReadBudget(ctx: RequestContext): ReadBudget {
  const known = new Map<string, Promise<unknown>>()
  /** By kind: how many more share the statement that is about to be sent. */
  const room = new Map<string, number>()
  let left = maxReads
  let isLogged = false

  function mayRead(kind: string): boolean {
    const shared = room.get(kind) ?? 0
    if (shared === 0) {
      if (left === 0) return false
      left--
      setImmediate(() => room.delete(kind))
    }
    room.set(kind, (shared || maxBatch) - 1)
    return true
  }

  function log(): void {
    if (isLogged) return
    isLogged = true
    const { app, caller } = ctx
    app.log.warn({ user: caller.user.id, most: maxReads }, 'the queries of a request read more than they may')
  }

  return {
    ctx,
    read<Value>(name: string, load: () => Promise<Value>) {
      const found = known.get(name) as Promise<Value> | undefined
      if (found) return found
      if (!mayRead(name.split(' ', 1)[0]!)) {
        log()
        return Promise.reject(new ReadBudgetExceeded('These queries read more than they may.'))
      }
      const reading = load()
      known.set(name, reading)
      return reading
    },
  }
}
