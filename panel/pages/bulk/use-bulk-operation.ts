import { useRef, useState } from 'react'
import { QuoinError } from '../../../client/client.ts'
import { client } from '../../app/client.ts'
import { errorText, labelledErrors } from '../../app/errors.ts'
import { queryClient } from '../../app/query.ts'
import { flushDrafts } from '../../editor/open-drafts.ts'
import { t } from '../../texts/texts.ts'
import { toId } from '../id.ts'
import type { Status } from '../page.ts'
import { refreshPages } from '../page-query.ts'

/** A page that is selected in a list. `id` is its path. */
export interface SelectedPage {
  id: string
  title: string
  template: string
  status: Status
  hasChanges: boolean
}

const select = ['id', 'isSortable', 'num', 'revision', 'status', 'template', 'title', 'uuid'] as const

const readBrief = (path: string) => client.pages.get({ id: toId(path), select })

/** The page as it is before the operation. */
type PageBefore = Awaited<ReturnType<typeof readBrief>>

interface OperationResult {
  /** Nothing to do: the page already has the requested state. */
  isUnchanged?: boolean
  /** Reverts the operation, if that is possible. */
  undo?: (() => Promise<unknown>) | undefined
  /** Its path now; null if it is deleted. */
  path?: string | null
}

/** Changes one page. */
export type BulkOperation = (page: PageBefore, selected: SelectedPage) => Promise<OperationResult>

export interface BulkResult {
  page: SelectedPage
  /** `unknown`: the change was sent, but its answer was lost. */
  state: 'waiting' | 'done' | 'unchanged' | 'refused' | 'unknown' | 'stopped'
  /** Why it was refused, or what has failed. */
  reasons: readonly string[]
  undo?: OperationResult['undo']
  /** Null if there is no page to open. */
  path: string | null
}

/** Changes pages one after the other: each has its own transaction, permission and result. */
export function useBulkOperation() {
  const [results, setResults] = useState<readonly BulkResult[]>([])
  const [stage, setStage] = useState<'idle' | 'running' | 'done' | 'undoing' | 'undone'>('idle')
  const isStopped = useRef(false)

  async function runSequentially(
    tasks: readonly BulkResult[],
    /** Reads what the operation needs, and returns the function that changes the page. */
    prepare: (task: BulkResult) => Promise<() => Promise<OperationResult>>,
  ) {
    isStopped.current = false
    const updated = tasks.map((task): BulkResult => ({ ...task, state: 'waiting', reasons: [], undo: undefined }))
    setResults([...updated])
    await flushDrafts()
    for (const [index, task] of tasks.entries()) {
      if (isStopped.current) break
      let isPrepared = false
      try {
        const change = await prepare(task)
        isPrepared = true
        const { isUnchanged = false, undo, path = task.path } = await change()
        updated[index] = { ...updated[index]!, state: isUnchanged ? 'unchanged' : 'done', undo, path }
      } catch (error) {
        const isAnswered = error instanceof QuoinError
        const state = isAnswered ? 'refused' : isPrepared ? 'unknown' : 'stopped'
        const reasons = [errorText(error), ...labelledErrors(error)]
        if (state === 'unknown') reasons.push(t('bulk.unknown'))
        updated[index] = { ...updated[index]!, state, reasons }
        // Without a connection, or with an error of the panel, the other pages would fail for the same reason.
        if (!isAnswered) isStopped.current = true
      }
      setResults([...updated])
    }
    setResults(updated.map(result => (result.state === 'waiting' ? { ...result, state: 'stopped' } : result)))
    void refreshPages(queryClient)
  }

  return {
    results,
    stage,
    stop: () => void (isStopped.current = true),
    start: async (pages: readonly SelectedPage[], operation: BulkOperation) => {
      setStage('running')
      const tasks = deepestFirst(pages).map((page): BulkResult => ({
        page,
        state: 'waiting',
        reasons: [],
        path: page.id,
      }))
      await runSequentially(tasks, async ({ page }) => {
        const before = await readBrief(page.id)
        return () => operation(before, page)
      })
      setStage('done')
    },
    /** In reverse order, so that every page gets its former position. */
    undo: async () => {
      setStage('undoing')
      const undoable = results.filter(({ undo }) => undo !== undefined).toReversed()
      await runSequentially(undoable, async ({ undo, page }) => async () => {
        await undo?.()
        return { path: page.id }
      })
      setStage('undone')
    },
  }
}

/** Descendants come first: an operation on a page can change their paths. */
const deepestFirst = (pages: readonly SelectedPage[]) => pages.toSorted((a, b) => depthOf(b) - depthOf(a))

const depthOf = ({ id }: SelectedPage) => id.split('/').length
