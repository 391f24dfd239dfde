import { QuoinError } from '../../client/client.ts'
import { hasKey } from '../app/errors.ts'
import { refreshLists } from '../app/query.ts'
import type { Content, ContentResource, SavedDraft, SeenRevision } from './content-resource.ts'
import { isStaleDraft, fieldErrorsIn, savedAfterTakeOver } from './draft-errors.ts'
import { changedNow, mergeSavedDraft, withCollisions } from './draft-merge.ts'
import { createState, type Draft, type DraftState, type EditLock, type PublishRequest } from './draft-state.ts'
import { equal } from './equal.ts'
import { focusedField } from './focus-field.ts'
import { differing, merge, type Side } from './merge.ts'
import { createVisibleErrors } from './visible-errors.ts'

/** Delay between the last keystroke and saving the draft, in milliseconds. */
const pause = 600
const maxWaitMs = 30_000
/** After a take-over, the draft is read so often, at these intervals. */
const lastWordsRounds = 20
const lastWordsMs = 3000

export function createDraft(resource: ContentResource, self: string): Draft {
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
    openField: undefined,
    conflict: undefined,
    author: undefined,
  })
  let revision: number | undefined
  /** The draft on the server and its revision, as last read or written. */
  let server: Content = {}
  let draftRevision: number | undefined
  /** True from publishing until the content is read again. The server may normalise values; that is not a conflict. */
  let isSettling = false
  const visibleErrors = createVisibleErrors()
  let pending = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastWords: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isShown = false
  let work: Promise<unknown> = Promise.resolve()

  const set = (part: Partial<DraftState>) => store.set({ ...store.get(), ...part })

  function change(next: Content) {
    const { values, base, changed } = store.get()
    const touched = Object.keys(next).filter(name => next[name] !== values[name])
    if (touched.length === 0) return
    for (const name of touched) pending.add(name)
    visibleErrors.touch(touched)
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
    const { conflict, lock, openField } = store.get()
    if (pending.size === 0 || conflict || (lock && openField === undefined)) return
    const sent = pending
    pending = new Set()
    set({ sending: 'sending' })
    try {
      const body = bodyOf(sent)
      const { values } = store.get()
      const saved = await resource.changes.save(body, { draftRevision })
      server = { ...server, ...Object.fromEntries([...sent].map(name => [name, values[name]])) }
      draftRevision = saved.draftRevision
      failures = 0
      const errors = visibleErrors.next(store.get().errors, saved.errors, pending)
      const free = { lock: undefined, openField: undefined }
      set({ sending: pending.size > 0 ? 'waiting' : 'idle', problem: undefined, errors, ...free })
      if (!isShown) void refreshLists()
    } catch (error) {
      if (savedAfterTakeOver(error) === undefined) for (const name of sent) pending.add(name)
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
      const { user = null, time = null, draftRevision: next } = error.details as Partial<EditLock & SeenRevision>
      const saved = savedAfterTakeOver(error)
      const { lock, openField } = store.get()
      draftRevision = next ?? draftRevision
      set({
        sending: pending.size > 0 || !saved ? 'waiting' : 'idle',
        lock: { user, time, saved: saved ?? lock?.saved },
        openField: lock ? openField : focusedField(),
      })
    } else if (error instanceof QuoinError && error.status < 500 && error.status !== 429) {
      set({ sending: 'idle', errors: { ...store.get().errors, ...fieldErrorsIn(error) }, problem: error })
    } else {
      set({ sending: 'failed', problem: error })
      plan(Math.min(2000 * 2 ** failures++, maxWaitMs))
    }
  }

  function rebase(content: Content, now: number) {
    const { values, base, isReady, conflict } = store.get()
    // Ignore content that is older than the current one.
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
      adopt(await resource.changes.get())
    } catch (error) {
      // A user without permission to edit sees the published content.
      if (!store.get().isReady)
        set({ isReady: true, problem: error instanceof QuoinError && error.status === 403 ? undefined : error })
    }
  }

  function adopt(saved: SavedDraft) {
    const { fields, errors, user, modified, isLocked } = saved
    const { base, values, isReady, conflict } = store.get()
    const { lock: oldLock, author, changed, openField: oldField } = store.get()
    const isTaken = isLocked && !oldLock && !author && changed.length > 0 && (draftRevision ?? 0) > 0
    const openField = isTaken ? focusedField() : isLocked ? oldField : undefined
    const who = {
      lock: isLocked ? { user, time: modified, saved: isTaken ? ('draft' as const) : oldLock?.saved } : undefined,
      openField,
      author: user && user.id !== self ? { user, time: modified } : undefined,
    }
    if (isLocked) {
      // Edit lock: show the published content, not the unfinished draft of someone else. What this user has typed
      // stays.
      if (pending.size > 0 || openField !== undefined) return set({ isReady: true, ...who })
      server = base
      // The draft of someone else has a revision that is not known here.
      draftRevision = undefined
      return set({ isReady: true, values: base, changed: [], errors: {}, conflict: undefined, ...who })
    }
    visibleErrors.touch(fields)
    const shownErrors = visibleErrors.next(store.get().errors, errors, pending)
    if (isReady && saved.draftRevision === draftRevision) {
      set({ errors: shownErrors, ...who })
      return sendWhatDiffers()
    }
    const form = { mine: values, server: isReady ? server : base, base }
    const { draft, values: next, collisions, merges } = mergeSavedDraft(form, saved)
    server = draft
    draftRevision = saved.draftRevision
    set({
      isReady: true,
      values: next,
      changed: differing(next, base),
      errors: shownErrors,
      conflict: withCollisions(conflict, collisions, ...merges),
      ...who,
    })
    sendWhatDiffers()
  }

  async function publishWith(request: PublishRequest, sent: ReadonlySet<string>): Promise<void> {
    if (sent.size > 0) ({ draftRevision } = await resource.changes.save(bodyOf(sent), { draftRevision }))
    const isChanged = sent.size > 0 || store.get().changed.length > 0
    await request({
      ...(revision !== undefined && { revision }),
      ...(isChanged && { publishChanges: true, draftRevision }),
    })
  }

  const publish = (request?: PublishRequest) =>
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
          if (request) await publishWith(request, sent)
          else await resource.changes.publish(bodyOf(sent), { draftRevision })
          // The user may have typed meanwhile.
          const { values, errors } = store.get()
          failures = 0
          revision = undefined
          server = published
          draftRevision = 0
          isSettling = true
          visibleErrors.setTried(false)
          // The published fields have no errors now. Errors of other fields stay until the next read.
          const left = Object.fromEntries(Object.entries(errors).filter(([name]) => !sent.has(name)))
          const changed = differing(values, published)
          set({ isPublishing: false, sending: 'idle', base: published, changed, errors: left, author: undefined })
          if (pending.size > 0) plan(pause)
          return true
        } catch (error) {
          for (const name of sent) pending.add(name)
          if (hasKey(error, 'invalidArgument', 'page.changeStatus.incomplete')) {
            visibleErrors.setTried(true)
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
        if (!lock) await resource.changes.discard({ draftRevision })
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
      visibleErrors.forget()
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
    await resource.changes.unlock()
    set({ lock: undefined, openField: undefined })
    readLastWords()
    if (pending.size > 0) plan(0)
    else await refresh()
  }

  /** The former author may still finish a sentence. */
  function readLastWords(rounds = lastWordsRounds) {
    clearTimeout(lastWords)
    lastWords = setTimeout(() => {
      if (store.get().lock) return
      void refresh()
      if (rounds > 1) readLastWords(rounds - 1)
    }, lastWordsMs)
  }

  async function closeField(): Promise<void> {
    await flush()
    if (store.get().openField === undefined) return
    set({ openField: undefined })
    // The last words are saved: what is shown now is the published version.
    if (pending.size === 0) await refresh()
  }

  function resolve(sides: Readonly<Record<string, Side>>) {
    const { conflict, values, base } = store.get()
    if (!conflict) return
    const next = conflict.merges.reduce((mine, step) => merge({ mine, ...step }, key => sides[key]).values, values)
    const names = conflict.collisions.map(({ trail: [first] }) => (first as { name: string }).name)
    for (const name of names) pending.add(name)
    visibleErrors.touch(names)
    set({ values: next, changed: differing(next, base), conflict: undefined, sending: 'waiting' })
    plan(0)
  }

  async function flushedRevision(): Promise<SeenRevision> {
    await flush()
    return { draftRevision }
  }

  return {
    resource,
    use: store.use,
    get: store.get,
    change,
    rebase,
    refresh,
    flush,
    show: value => void (isShown = value),
    publish,
    discard,
    takeOver,
    closeField,
    resolve,
    seen: flushedRevision,
  }
}
