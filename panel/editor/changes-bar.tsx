import { ChevronUp, CircleAlert, Clock, CloudOff, History, MessageSquareText, Send, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '../app/errors.ts'
import { shortcutLabel, useShortcut } from '../app/shortcuts.ts'
import { usePaletteActions } from '../search/palette-actions.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { BottomBar } from '../ui/bottom-bar.tsx'
import { Button } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/confirm-dialog.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { toast } from '../ui/toast.ts'
import type { Draft } from './draft-state.ts'

/**
 * What becomes of the changes. `publish`: visitors see them. `save`: they are applied, but nothing is public. `keep`:
 * they stay a draft, because the user may not publish. `draft`: the page itself is a draft, and is published with them.
 */
export type Publishing =
  | { kind: 'publish' | 'save' | 'keep' }
  | {
      kind: 'draft'
      /** The statuses with which it can be published, the usual one first; none if the user may not publish it. */
      choices: readonly { text: string; publish: () => Promise<boolean> }[]
    }

/** For accounts that may not publish. */
export interface AskForReview {
  ask: () => void
  /** A review was asked for already. */
  isWaiting: boolean
}

interface Props {
  draft: Draft
  publishing: Publishing
  labels: Readonly<Record<string, string>>
  onPublished: () => void
  /** Opens the schedule dialog. Undefined where publication cannot be scheduled. */
  onSchedule?: (() => void) | undefined
  review?: AskForReview | undefined
  /** Opens the conflict dialog again. */
  onResolveConflict: () => void
  /** Focuses the first field with an error. */
  onFocusError: () => void
}

/** Shows unpublished changes, with the actions to publish, schedule or discard them. */
export function ChangesBar(props: Props) {
  const { draft, publishing, labels, onPublished, onSchedule, review, onResolveConflict, onFocusError } = props
  const changed = draft.use(state => state.changed)
  const isPublishing = draft.use(state => state.isPublishing)
  const lock = draft.use(state => state.lock)
  const conflict = draft.use(state => state.conflict)
  const errors = draft.use(state => state.errors)
  const problem = draft.use(state => state.problem)
  const [isDiscarding, setDiscarding] = useState(false)
  const invalidFields = Object.keys(errors)
  const attention = invalidFields.length > 0 ? t('editor.attention', { count: invalidFields.length }) : ''
  const { kind } = publishing
  const [usual, ...otherChoices] = publishing.kind === 'draft' ? publishing.choices : []
  const isChanged = changed.length > 0 || problem !== undefined
  const isShown = isChanged || usual !== undefined || (kind === 'draft' && review?.isWaiting === false)

  async function run(act: () => Promise<boolean>) {
    if (isPublishing || lock) return
    if (conflict) return onResolveConflict()
    if (await act()) onPublished()
    else if (Object.keys(draft.get().errors).length > 0) onFocusError()
  }

  /** What Ctrl S and the button do. A draft page is only saved by Ctrl S: nothing becomes public by reflex. */
  async function save() {
    if (kind === 'keep') {
      await draft.flush()
      if (draft.get().sending !== 'idle') return false
    } else if (isChanged && !(await draft.publish())) return false
    toast({ tone: 'good', title: t(done[kind]) })
    return true
  }
  useShortcut('s', () => void (isShown && run(save)))
  const canRun = isShown && lock === undefined && kind !== 'keep'
  const main = kind === 'draft' ? usual?.publish : save
  usePaletteActions(
    canRun && main
      ? [{ text: t(kind === 'save' ? 'action.save' : 'editor.publish'), icon: Send, run: () => void run(main) }]
      : [],
  )

  if (!isShown) return null
  return (
    <BottomBar>
      <section
        aria-label={t('editor.changes')}
        className="popup flex flex-wrap items-center gap-x-3 gap-y-2 py-2 ps-4 pe-2"
      >
        <div className="flex min-w-0 flex-1 basis-44 flex-wrap items-center gap-x-4">
          <div className="flex min-w-0 items-center gap-2">
            <DraftStatus draft={draft} />
          </div>
          {invalidFields.length > 0 && (
            <button
              type="button"
              onClick={onFocusError}
              data-tip={invalidFields.map(name => labels[name] ?? name).join(', ')}
              className="-ms-1.5 flex min-h-7 items-center gap-1.5 rounded-md px-1.5 text-start text-sm text-danger hover:bg-danger-soft"
            >
              <CircleAlert aria-hidden="true" className="shrink-0" />
              {attention}
            </button>
          )}
        </div>
        <div className="ms-auto flex flex-wrap items-center justify-end gap-2">
          {conflict && <Button onClick={onResolveConflict}>{t('editor.conflict.open')}</Button>}
          {changed.length > 0 && (
            <Button variant="plain" icon={History} onClick={() => setDiscarding(true)} disabled={isPublishing}>
              {t('editor.discard')}
            </Button>
          )}
          {onSchedule && !conflict && (
            <Button icon={Clock} disabled={isPublishing || lock !== undefined} onClick={onSchedule}>
              {t('editor.schedule')}
            </Button>
          )}
          {(kind === 'publish' || kind === 'save') && (
            <Button variant="primary" busy={isPublishing} disabled={lock !== undefined} onClick={() => void run(save)}>
              {t(kind === 'save' ? 'action.save' : 'editor.publish')}
              <span aria-hidden="true" className="ms-2 text-xs font-normal opacity-85 max-sm:hidden">
                {shortcutLabel('s')}
              </span>
            </Button>
          )}
          {review && (
            <Button
              variant={review.isWaiting ? undefined : 'primary'}
              icon={MessageSquareText}
              disabled={lock !== undefined || conflict !== undefined}
              onClick={review.ask}
            >
              {t(review.isWaiting ? 'review.again' : 'review.ask')}
            </Button>
          )}
          {usual && (
            <Button
              variant="primary"
              busy={isPublishing}
              disabled={lock !== undefined}
              onClick={() => void run(usual.publish)}
            >
              {t('editor.publish')}
            </Button>
          )}
          {otherChoices.length > 0 && (
            <Menu
              side="top"
              trigger={<IconButton icon={ChevronUp} label={t('editor.publish.more')} disabled={lock !== undefined} />}
              items={otherChoices.map(({ text, publish }) => ({
                text: t('editor.publish.as', { status: text }),
                onSelect: () => void run(publish),
              }))}
            />
          )}
        </div>
      </section>
      <ConfirmDialog
        open={isDiscarding}
        danger
        title={t('editor.discard.title')}
        confirm={t('editor.discard')}
        onClose={() => setDiscarding(false)}
        onConfirm={() => {
          setDiscarding(false)
          draft.discard().then(
            () => toast(t('editor.discarded')),
            (error: unknown) => toast({ tone: 'danger', title: errorText(error) }),
          )
        }}
      >
        <p>{t('editor.discard.text', { count: changed.length })}</p>
        <ul className="list-disc ps-5">
          {changed.slice(0, 12).map(name => (
            <li key={name}>{labels[name] ?? name}</li>
          ))}
        </ul>
      </ConfirmDialog>
      <span role="status" className="sr-only">
        {attention}
      </span>
    </BottomBar>
  )
}

/** What is said afterwards: the same words as in the history and in lists. */
const done = {
  publish: 'editor.published',
  save: 'editor.saved',
  keep: 'editor.draftSaved',
  draft: 'editor.draftSaved',
} as const

/** A component of its own, because it renders again with every keystroke. */
function DraftStatus({ draft }: { draft: Draft }) {
  const { sending, problem, changed, errors, conflict, author } = draft.use()
  if (sending === 'failed')
    return (
      <>
        <CloudOff aria-hidden="true" className="text-warn" />
        <span role="status">{t('editor.failed')}</span>
      </>
    )
  if (conflict) return <Trouble text={t('editor.conflict.waiting')} />
  if (problem !== undefined && Object.keys(errors).length === 0) return <Trouble text={errorText(problem)} />
  if (changed.length === 0) return <span className="min-w-0 font-medium">{t('editor.unpublished')}</span>
  return (
    <span className="min-w-0 truncate">
      <span className="font-medium">{t('editor.count', { count: changed.length })}</span>
      <span className="text-muted">
        {' · '}
        {author?.user
          ? t('editor.by', { name: author.user.username, ago: author.time ? formatRelativeTime(author.time) : '' })
          : t(sending === 'idle' ? 'editor.draftSaved' : 'editor.savingDraft')}
      </span>
    </span>
  )
}

function Trouble({ text }: { text: string }) {
  return (
    <>
      <TriangleAlert aria-hidden="true" className="text-danger" />
      <span className="min-w-0">{text}</span>
    </>
  )
}
