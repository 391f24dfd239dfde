import { Link } from '@tanstack/react-router'
import { CircleAlert, CircleCheck, CircleDashed, CircleMinus, CircleQuestionMark } from 'lucide-react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { toId } from '../id.ts'
import type { BulkResult, useBulkOperation } from './use-bulk-operation.ts'

interface Props {
  /** What is done. */
  title: string
  bulk: ReturnType<typeof useBulkOperation>
  onClose: () => void
}

const marks = {
  waiting: { icon: CircleDashed, colour: 'text-muted' },
  done: { icon: CircleCheck, colour: 'text-good' },
  unchanged: { icon: CircleMinus, colour: 'text-muted' },
  refused: { icon: CircleAlert, colour: 'text-danger' },
  unknown: { icon: CircleQuestionMark, colour: 'text-warn' },
  stopped: { icon: CircleMinus, colour: 'text-muted' },
}

/** The progress of an operation on several pages, and its result for each of them. */
export function Results({ title, bulk, onClose }: Props) {
  const { results, stage } = bulk
  const total = results.length
  const isRunning = stage === 'running' || stage === 'undoing'
  const settled = results.filter(({ state }) => state !== 'waiting').length
  const done = results.filter(({ state }) => state === 'done' || state === 'unchanged').length
  const summary = isRunning
    ? t('bulk.progress', { done: settled, total })
    : t(stage === 'undone' ? 'bulk.undone.title' : 'bulk.done.title', { done, total })
  const canUndo = stage === 'done' && results.some(({ undo }) => undo !== undefined)
  const leave = isRunning ? bulk.stop : onClose

  return (
    <Dialog
      open
      disablePointerDismissal
      title={title}
      onClose={leave}
      footer={
        <>
          {canUndo && <Button onClick={() => void bulk.undo()}>{t('undo.do')}</Button>}
          {/* The same button all the time, so that it keeps the focus. */}
          <Button variant={isRunning ? 'quiet' : 'primary'} onClick={leave}>
            {t(isRunning ? 'bulk.stop' : 'action.close')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p role="status" className="font-medium tabular-nums">
          {summary}
        </p>
        {isRunning && <ProgressBar label={title} value={total === 0 ? 0 : settled / total} />}
        <ul className="flex flex-col divide-y rounded-md border">
          {results.map(result => (
            <Line key={result.page.id} result={result} />
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

function Line({ result: { page, state, reasons, path } }: { result: BulkResult }) {
  const { icon: Icon, colour } = marks[state]
  return (
    <li className="flex items-start gap-2.5 px-3 py-2">
      <Icon aria-hidden="true" className={`mt-0.5 shrink-0 ${colour}`} />
      <div className="min-w-0 flex-1 wrap-anywhere">
        {path === null || state === 'waiting' ? (
          <span className="font-medium">{page.title}</span>
        ) : (
          <Link to="/pages/$id" params={{ id: toId(path) }} className="font-medium hover:underline">
            {page.title}
          </Link>
        )}
        {reasons.map(reason => (
          <p key={reason} className="text-sm text-muted">
            {reason}
          </p>
        ))}
      </div>
      <span className="shrink-0 text-sm text-muted">{t(`bulk.result.${state}`)}</span>
    </li>
  )
}
