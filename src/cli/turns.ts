interface Turn<Owner> {
  owner: Owner
  id: number
  start: () => void
  timer?: NodeJS.Timeout
}

/** Turns of several processes at a work that occupies a core: so many at a time, in the order of the requests. */
export interface Turns<Owner> {
  request(owner: Owner, id: number, start: () => void): void
  end(owner: Owner, id: number): void
  /** Ends all turns of a process that is gone. */
  endAll(owner: Owner): void
}

/** A turn that takes longer than `maxMs` no longer counts: a process that is stopped must not stop the others. */
export function createTurns<Owner>(slots: number, maxMs: number): Turns<Owner> {
  const running = new Set<Turn<Owner>>()
  const waiting = new Set<Turn<Owner>>()

  function startNext(): void {
    for (const turn of waiting) {
      if (running.size >= slots) return
      waiting.delete(turn)
      running.add(turn)
      turn.timer = setTimeout(endWhere, maxMs, (each: Turn<Owner>) => each === turn).unref()
      turn.start()
    }
  }

  function endWhere(ends: (turn: Turn<Owner>) => boolean): void {
    for (const turns of [running, waiting])
      for (const turn of turns)
        if (ends(turn)) {
          clearTimeout(turn.timer)
          turns.delete(turn)
        }
    startNext()
  }

  return {
    request(owner, id, start) {
      waiting.add({ owner, id, start })
      startNext()
    },
    end: (owner, id) => endWhere(turn => turn.owner === owner && turn.id === id),
    endAll: owner => endWhere(turn => turn.owner === owner),
  }
}
