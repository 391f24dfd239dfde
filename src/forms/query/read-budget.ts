import { accountOf } from '../../access/actor.ts'
import type { RequestContext } from '../../http/context.ts'

/** Maximum number of statements for all queries of one request. */
const maxReads = 200
/** Simultaneous reads of the same kind are batched; up to this many count as one statement. */
const maxBatch = 100

/** The read budget of the request is spent: further queries return nothing. */
export class ReadBudgetExceeded extends Error {}

/** Caches the reads of the queries of one request, and limits their number. */
export interface ReadBudget {
  ctx: RequestContext
  /**
   * Returns the cached result for a name such as `files page://…`, or loads it. The first word is the kind of read;
   * reads of one kind are batched. Fails with `ReadBudgetExceeded` when the budget is spent.
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
  const reads = new Map<string, Promise<unknown>>()
  /** Kind → how many further reads can join the pending batch. */
  const batchRoom = new Map<string, number>()
  let left = maxReads
  let isLogged = false

  /** Counts a read; false if the budget is spent. */
  function takeRead(kind: string): boolean {
    const room = batchRoom.get(kind) ?? 0
    if (room === 0) {
      if (left === 0) return false
      left--
      setImmediate(() => batchRoom.delete(kind))
    }
    batchRoom.set(kind, (room || maxBatch) - 1)
    return true
  }

  function logOnce(): void {
    if (isLogged) return
    isLogged = true
    ctx.app.log.warn({ user: accountOf(ctx), maxReads }, 'the queries of a request read more than they may')
  }

  return {
    ctx,
    read<Value>(name: string, load: () => Promise<Value>) {
      const found = reads.get(name) as Promise<Value> | undefined
      if (found) return found
      if (!takeRead(name.split(' ', 1)[0]!)) {
        logOnce()
        return Promise.reject(new ReadBudgetExceeded('These queries read more than they may.'))
      }
      const reading = load()
      reads.set(name, reading)
      return reading
    },
  }
}
