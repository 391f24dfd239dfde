import { CircleCheck, Ellipsis, RotateCcw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { formatRelativeTime, formatDate, t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { Composer } from './composer.tsx'
import { commentParts, toTyped } from './mentions.ts'
import { type Comment, isOpen, type Thread as ThreadOfComments } from './queries.ts'
import type { Comments } from './use-comments.ts'

interface Props {
  thread: ThreadOfComments
  comments: Comments
  /** What it is about; undefined where that is clear. */
  about?: string | undefined
  /** Goes to the field; undefined if there is none. */
  onAbout?: (() => void) | undefined
  /** Led to by a link: it is scrolled to and marked. */
  isLinked?: boolean | undefined
}

/** So many of the last replies are shown at first. */
const lastReplies = 3

const nameOf = (user: Comment['user']) =>
  user === null ? t('comments.deletedAccount') : user.username || t('activity.someone')

export function Thread({ thread, comments, about, onAbout, isLinked = false }: Props) {
  const { first, replies } = thread
  const [isReplying, setReplying] = useState(false)
  const [showsAll, setShowsAll] = useState(isLinked)
  const element = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (!isLinked) return
    element.current?.scrollIntoView({ block: 'nearest' })
    element.current?.focus({ preventScroll: true })
  }, [isLinked])
  const isResolved = !isOpen(thread)
  const hidden = showsAll || replies.length <= lastReplies + 1 ? 0 : replies.length - lastReplies
  const canDelete = (deleted: readonly Comment[]) => comments.canPublish || deleted.every(({ isOwn }) => isOwn)
  const renderComment = (comment: Comment) => (
    <OneComment
      key={comment.id}
      comment={comment}
      isThread={comment === first}
      onChange={text => comments.edit(comment, text)}
      onDelete={
        canDelete(comment === first ? [first, ...replies] : [comment]) ? () => comments.remove(comment) : undefined
      }
    />
  )
  const resolve = (
    <Button
      size="small"
      variant="plain"
      className="shrink-0"
      icon={isResolved ? RotateCcw : CircleCheck}
      onClick={() => comments.resolve(first, !isResolved)}
    >
      {t(isResolved ? 'comments.reopen' : 'comments.resolve')}
    </Button>
  )

  return (
    <li
      ref={element}
      tabIndex={-1}
      className={cx(
        'one-of-many flex flex-col gap-3 rounded-lg border p-3 outline-none',
        isLinked ? 'border-accent' : 'focus-visible:border-focus',
        isResolved ? 'bg-sunken' : 'bg-raised',
      )}
    >
      {about !== undefined && (
        <div className="-my-1 flex items-center gap-1">
          <span className="flex min-w-0 flex-1">
            {onAbout ? (
              <button
                type="button"
                // Cut off at the end of the label, whatever its language.
                dir="auto"
                onClick={onAbout}
                className="truncate rounded-sm text-sm font-medium text-accent hover:underline"
              >
                {about}
              </button>
            ) : (
              <span dir="auto" className="truncate text-sm text-muted">
                {about}
              </span>
            )}
          </span>
          {resolve}
        </div>
      )}
      {renderComment(first)}
      {hidden > 0 && (
        <Button size="small" variant="plain" className="self-start" onClick={() => setShowsAll(true)}>
          {t('comments.more', { count: hidden })}
        </Button>
      )}
      {replies.slice(hidden).map(renderComment)}
      {isResolved ? (
        <p className="text-sm text-muted">{t('comments.resolved', { name: nameOf(first.resolvedBy) })}</p>
      ) : isReplying ? (
        <Composer
          autoFocus
          name={`${comments.id} ${first.id}`}
          label={t('comments.replyTo', { name: nameOf(first.user) })}
          confirm={t('comments.reply')}
          onSend={async text => {
            await comments.reply(text, first.id)
            setReplying(false)
          }}
          onCancel={() => setReplying(false)}
        />
      ) : (
        <div className="flex items-center justify-between gap-2">
          <Button size="small" onClick={() => setReplying(true)}>
            {t('comments.reply')}
          </Button>
          {about === undefined && resolve}
        </div>
      )}
    </li>
  )
}

interface OneProps {
  comment: Comment
  /** The first one: all are deleted with it. */
  isThread: boolean
  onChange: (text: string) => Promise<unknown>
  onDelete: (() => void) | undefined
}

function OneComment({ comment, isThread, onChange, onDelete }: OneProps) {
  const [isEditing, setEditing] = useState(false)
  const { created, isOwn, mentions, modified, text, user } = comment
  const people = mentions.flatMap(({ id, username }) => (id === undefined ? [] : [{ id, name: username }]))
  const name = nameOf(user)
  return (
    <article aria-label={t('comments.by', { name })} className="flex items-start gap-2">
      <Avatar size="small" name={user === null ? '?' : name} />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex min-h-6 flex-wrap items-center gap-x-2 text-sm text-muted">
          <bdi className={cx('font-medium wrap-anywhere', user !== null && 'text-ink')}>{name}</bdi>
          <time dateTime={created} title={formatDate(created)}>
            {formatRelativeTime(created)}
          </time>
          {modified !== null && <span title={formatDate(modified)}>{t('comments.edited')}</span>}
        </p>
        {isEditing ? (
          <Composer
            autoFocus
            name={comment.id}
            label={t('comments.text')}
            confirm={t('action.save')}
            initial={{ text: toTyped(text, people), people }}
            onSend={async next => {
              await onChange(next)
              setEditing(false)
            }}
            onCancel={() => setEditing(false)}
          />
        ) : (
          <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
            {commentParts(text, people).map(({ text: part, isMention }, index) =>
              isMention ? (
                <bdi key={index} className="font-medium text-accent">
                  {part}
                </bdi>
              ) : (
                part
              ),
            )}
          </p>
        )}
      </div>
      {(isOwn || onDelete) && (
        <Menu
          trigger={
            <IconButton size="small" className="-my-0.5" icon={Ellipsis} label={t('comments.actions', { name })} />
          }
          items={[
            isOwn && { text: t('comments.edit'), onSelect: () => setEditing(true) },
            onDelete && {
              text: t(isThread ? 'comments.thread.delete' : 'action.delete'),
              danger: true,
              onSelect: onDelete,
            },
          ]}
        />
      )}
    </article>
  )
}
