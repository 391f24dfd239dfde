import { useSyncExternalStore } from 'react'
import { QuoinError } from '../../client/client.ts'
import { hasKey } from '../app/errors.ts'
import type { Wrong, Wrongs } from '../fields/wrong.ts'
import { equal } from './equal.ts'
import { type Collision, differing, merge, type Side } from './merge.ts'
import type { Content, SavedDraft, Person, Seen, ContentResource } from './content-resource.ts'
import { createTold } from './visible-errors.ts'

/** Delay between the last keystroke and saving the draft, in milliseconds. */
const pause = 600
const maxWaitMs = 30_000

/** A hook that returns the whole state, or a selected part. */
interface Use<State> {
  (): State
  <Part>(pick: (state: State) => Part): Part
}

export interface Lock {
  user: Person | null
  time: string | null
}

/** Changes by others to the same values, until the user chooses which ones to keep. */
export interface Conflict {
  collisions: Collision[]
  /** The merges that led to the collisions, in order. They are repeated with the choices of the user. */
  merges: { old: Content; theirs: Content }[]
}

export interface DraftState {
  /** False until the draft is loaded. */
  isReady: boolean
  /** The values in the form. */
  values: Content
  /** The published values. */
  base: Content
  /** Names of the fields that differ from the published values. */
  changed: readonly string[]
  /** `waiting`: there are changes to send; `failed`: sending is retried automatically. */
  sending: 'idle' | 'waiting' | 'sending' | 'failed'
  isPublishing: boolean
  /** Errors of fields that are shown so far; see `visible-errors.ts`. */
  errors: Wrongs
  /** Any other error. */
  problem: unknown
  lock: Lock | undefined
  conflict: Conflict | undefined
  /** The author of the saved draft and its time, if that is another user. */
  author: Lock | undefined
}

/**
 * The content that the user edits. It is saved as a draft on the server while they type, and published on request. It
 * lives outside of the components, so that no change is lost when the user navigates to another screen.
 */
export interface Draft {
  thing: ContentResource
  /**
   * Selects a part of the state; a component renders again only if that part changes. The selector must return the same
   * object if nothing changed.
   */
  use: Use<DraftState>
  get: () => DraftState
  change: (values: Content) => void
  /** Merges newly read published content into the form. */
  rebase: (content: Content, revision: number) => void
  /** Reads the draft from the server. */
  refresh: () => Promise<void>
  flush: () => Promise<void>
  /** Resolves to true if the content was published. */
  publish: () => Promise<boolean>
  discard: () => Promise<void>
  takeOver: () => Promise<void>
  /** Resolves the conflict with the chosen sides, by the keys of the collisions. */
  resolve: (sides: Readonly<Record<string, Side>>) => void
  /** Saves pending changes, then returns the draft revision. */
  seen: () => Promise<Seen>
}

export function createDraft(thing: ContentResource, self: string): Draft {
  const store = createState<DraftState>({
    isReady: false,
    values: {},
    base: {},
    changed: [],
    sending: 'idle',
    isPublishing: false,
    errors: {},
    problem: undefined,
    lock: undefined,
    conflict: undefined,
    author: undefined,
  })
  let revision: number | undefined
  /** The draft on the server and its revision, as last read or written. */
  let server: Content = {}
  let draftRevision: number | undefined
  /** True from publishing until the content is read again. The server may normalise values; that is not a conflict. */
  let isSettling = false
  const told = createTold()
  let pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let work: Promise<unknown> = Promise.resolve()

  const set = (part: Partial<DraftState>) => store.set({ ...store.get(), ...part })

  function change(next: Content) {
    const { values, base, changed } = store.get()
    const touched = Object.keys(next).filter(name => next[name] !== values[name])
    if (touched.length === 0) return
    for (const name of touched) pending.add(name)
    told.touch(touched)
    set({
      values: { ...values, ...next },
      changed: changedNow(changed, touched, name => !equal(next[name], base[name])),
      problem: undefined,
      sending: 'waiting',
    })
    plan(pause)
  }

  function plan(after: number) {
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), after)
  }

  /** Runs requests one at a time, in order. */
  function queued<Value>(act: () => Promise<Value>): Promise<Value> {
    const next = work.then(act, act)
    work = next.catch(() => {})
    return next
  }

  const flush = () => queued(send)

  async function send(): Promise<void> {
    clearTimeout(timer)
    const { conflict, lock } = store.get()
    if (pending.size === 0 || conflict || lock) return
    const sent = pending
    pending = new Set()
    set({ sending: 'sending' })
    try {
      const body = bodyOf(sent)
      const { values } = store.get()
      const kept = await thing.changes.save(body, { draftRevision })
      server = { ...server, ...Object.fromEntries([...sent].map(name => [name, values[name]])) }
      draftRevision = kept.draftRevision
      failures = 0
      const errors = told.next(store.get().errors, kept.errors, pending)
      set({ sending: pending.size > 0 ? 'waiting' : 'idle', problem: undefined, errors })
    } catch (error) {
      for (const name of sent) pending.add(name)
      await refused(error)
    }
  }

  function bodyOf(names: Iterable<string>): Content {
    const { values, base } = store.get()
    const content = [...names].map(name => [name, values[name] ?? null])
    const guard = revision === undefined || Object.hasOwn(base, 'revision') ? {} : { revision }
    return { ...Object.fromEntries(content), ...guard }
  }

  async function refused(error: unknown): Promise<void> {
    if (hasKey(error, 'content.changed')) {
      const { current, revision: now } = error.details as { current?: { content?: Content }; revision?: number }
      if (current?.content && now !== undefined) rebase(current.content, now)
      if (isStaleDraft(error)) await read()
      set({ sending: pending.size > 0 ? 'waiting' : 'idle' })
      if (pending.size > 0 && !store.get().conflict) plan(0)
    } else if (hasKey(error, 'content.lock')) {
      const { user = null, time = null } = error.details as Partial<Lock>
      set({ sending: 'waiting', lock: { user, time } })
    } else if (error instanceof QuoinError && error.status < 500 && error.status !== 429) {
      set({ sending: 'idle', errors: { ...store.get().errors, ...wrongsIn(error) }, problem: error })
    } else {
      set({ sending: 'failed', problem: error })
      plan(Math.min(2000 * 2 ** failures++, maxWaitMs))
    }
  }

  function rebase(content: Content, now: number) {
    const { values, base, isReady, conflict } = store.get()
    // Ignore content that is older than what is known already.
    if (revision !== undefined && (now < revision || (now === revision && isReady && !isSettling))) return
    revision = now
    const old = isReady ? base : values
    const { values: next, collisions } = merge({ mine: values, old, theirs: content })
    const found = isSettling ? [] : collisions
    isSettling = false
    // Fields that are not in the draft take their published value.
    const drafted = Object.entries(server).filter(([name, value]) => !equal(value, base[name]))
    server = { ...content, ...Object.fromEntries(drafted) }
    set({
      values: next,
      base: content,
      changed: differing(next, content),
      conflict: withCollisions(conflict, found, { old, theirs: content }),
    })
    if (isReady) sendWhatDiffers()
  }

  /** Sends merged values, which the draft on the server does not have yet. */
  function sendWhatDiffers() {
    const { values, conflict, lock } = store.get()
    if (lock) return
    for (const name of differing(values, server)) pending.add(name)
    if (pending.size === 0) return
    set({ sending: 'waiting' })
    if (!conflict) plan(0)
  }

  // Queued, because a read during a save would return an older draft than the one on the screen.
  const refresh = () => queued(read)

  async function read(): Promise<void> {
    try {
      take(await thing.changes.get())
    } catch (error) {
      // A user without permission to edit sees the published content.
      if (!store.get().isReady)
        set({ isReady: true, problem: error instanceof QuoinError && error.status === 403 ? undefined : error })
    }
  }

  function take(kept: SavedDraft) {
    const { content, fields, conflicts, errors, user, modified, isLocked } = kept
    const { base, values, isReady, conflict } = store.get()
    const who = {
      lock: isLocked ? { user, time: modified } : undefined,
      author: user && user.id !== self ? { user, time: modified } : undefined,
    }
    if (isLocked) {
      // Edit lock: show the published content, not the unfinished draft of someone else. What this user has typed
      // stays.
      if (pending.size > 0) return set({ isReady: true, ...who })
      server = base
      // The draft of someone else has a revision that is not known here.
      draftRevision = undefined
      return set({ isReady: true, values: base, changed: [], errors: {}, conflict: undefined, ...who })
    }
    told.touch(fields)
    const wrong = told.next(store.get().errors, errors, pending)
    if (isReady && kept.draftRevision === draftRevision) {
      set({ errors: wrong, ...who })
      return sendWhatDiffers()
    }
    const draft = { ...base, ...Object.fromEntries(fields.map(name => [name, content[name]])) }
    const merges = [
      { old: isReady ? server : base, theirs: draft },
      // Someone published fields that the draft changes.
      ...(conflicts.length > 0 ? [{ old: { ...base, ...kept.base }, theirs: base }] : []),
    ]
    const collisions: Collision[] = []
    let next = isReady ? values : base
    for (const step of merges) {
      const merged = merge({ mine: next, ...step })
      next = merged.values
      collisions.push(...merged.collisions)
    }
    server = draft
    draftRevision = kept.draftRevision
    set({
      isReady: true,
      values: next,
      changed: differing(next, base),
      errors: wrong,
      conflict: withCollisions(conflict, collisions, ...merges),
      ...who,
    })
    sendWhatDiffers()
  }

  const publish = () =>
    queued(async () => {
      clearTimeout(timer)
      if (store.get().conflict || store.get().lock) return false
      set({ isPublishing: true, problem: undefined })
      // Retry if someone else changed other fields.
      for (let tries = 0; tries < 3; tries++) {
        const sent = pending
        pending = new Set()
        const { values: published } = store.get()
        try {
          await thing.changes.publish(bodyOf(sent), { draftRevision })
          // The user may have typed meanwhile.
          const { values, errors } = store.get()
          failures = 0
          revision = undefined
          server = published
          draftRevision = 0
          isSettling = true
          told.setTried(false)
          // The published fields have no errors now. Errors of other fields stay until the next read.
          const left = Object.fromEntries(Object.entries(errors).filter(([name]) => !sent.has(name)))
          const changed = differing(values, published)
          set({ isPublishing: false, sending: 'idle', base: published, changed, errors: left, author: undefined })
          if (pending.size > 0) plan(pause)
          return true
        } catch (error) {
          for (const name of sent) pending.add(name)
          if (hasKey(error, 'invalidArgument')) {
            told.setTried(true)
            set({ errors: {} })
          }
          await refused(error)
          // Do not publish changes from another window before the user has seen them: they are on the screen only now.
          if (isStaleDraft(error)) set({ problem: error })
          else if (hasKey(error, 'content.changed') && !store.get().conflict) continue
          break
        }
      }
      set({ isPublishing: false })
      if (pending.size > 0 && !store.get().conflict && !store.get().lock) plan(0)
      return false
    })

  const discard = () =>
    queued(async () => {
      clearTimeout(timer)
      const { base, lock } = store.get()
      try {
        if (!lock) await thing.changes.discard({ draftRevision })
      } catch (error) {
        if (isStaleDraft(error)) await read()
        throw error
      }
      if (!lock) {
        server = base
        draftRevision = 0
      }
      pending = new Set()
      failures = 0
      told.forget()
      set({
        values: base,
        changed: [],
        sending: 'idle',
        errors: {},
        problem: undefined,
        conflict: undefined,
        author: undefined,
      })
    })

  async function takeOver(): Promise<void> {
    await thing.changes.unlock()
    set({ lock: undefined })
    if (pending.size > 0) plan(0)
    else await refresh()
  }

  function resolve(sides: Readonly<Record<string, Side>>) {
    const { conflict, values, base } = store.get()
    if (!conflict) return
    const next = conflict.merges.reduce((mine, step) => merge({ mine, ...step }, key => sides[key]).values, values)
    const names = conflict.collisions.map(({ trail: [first] }) => (first as { name: string }).name)
    for (const name of names) pending.add(name)
    told.touch(names)
    set({ values: next, changed: differing(next, base), conflict: undefined, sending: 'waiting' })
    plan(0)
  }

  async function seen(): Promise<Seen> {
    await flush()
    return { draftRevision }
  }

  return {
    thing,
    use: store.use,
    get: store.get,
    change,
    rebase,
    refresh,
    flush,
    publish,
    discard,
    takeOver,
    resolve,
    seen,
  }
}

/** Another window or user has saved the draft since it was last read here. */
const isStaleDraft = (error: unknown) =>
  error instanceof QuoinError && hasKey(error, 'content.changed') && 'draftRevision' in error.details

/** Adds collisions to those that are not resolved yet. */
function withCollisions(conflict: Conflict | undefined, collisions: Collision[], ...merges: Conflict['merges']) {
  const keys = new Set(collisions.map(({ key }) => key))
  const all = [...(conflict?.collisions ?? []).filter(({ key }) => !keys.has(key)), ...collisions]
  return all.length > 0 ? { collisions: all, merges: [...(conflict?.merges ?? []), ...merges] } : undefined
}

/** The errors of fields in an error response. */
const wrongsIn = ({ details }: QuoinError): Wrongs => Object.fromEntries(Object.entries(details).filter(isWrong))

function isWrong(entry: [name: string, detail: unknown]): entry is [string, Wrong] {
  const [, detail] = entry
  return typeof detail === 'object' && detail !== null && 'message' in detail
}

/** Returns the same array if nothing changed, so that nothing renders again. */
function changedNow(changed: readonly string[], touched: readonly string[], isChanged: (name: string) => boolean) {
  const left = touched.filter(name => !isChanged(name) && changed.includes(name))
  const joined = touched.filter(name => isChanged(name) && !changed.includes(name))
  if (left.length + joined.length === 0) return changed
  return [...changed.filter(name => !left.includes(name)), ...joined]
}

function createState<State>(initial: State) {
  let current = initial
  const listeners = new Set<() => void>()
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get: () => current,
    set(next: State) {
      current = next
      for (const listener of listeners) listener()
    },
    use: (<Part>(pick?: (state: State) => Part) =>
      useSyncExternalStore(subscribe, () => (pick ? pick(current) : current))) as Use<State>,
  }
}
