import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Draft } from '../editor/draft-state.ts'
import { fieldAt } from '../editor/focus-field.ts'
import type { FieldMarks } from '../fields/form-contexts.ts'
import { t } from '../texts/texts.ts'
import { Mark } from './mark.tsx'
import { commentsQuery, countsOf, isOpen, threadsOf } from './queries.ts'

const CommentsDrawer = lazy(async () => ({ default: (await import('./drawer.tsx')).CommentsDrawer }))

interface Props {
  id: string
  labels: Readonly<Record<string, string>>
  draft: Draft
  canPublish: boolean
  /** Receives what is shown at fields and blocks. */
  onMarks: (marks: FieldMarks | undefined) => void
  /** Goes to a field or block. */
  onField: (path: string) => void
}

/** Windows with room for the comments beside the form. */
const wide = '(min-width: 72rem)'

/** The button that opens the comments of a page, and the marks of fields and blocks. */
export function PageComments({ id, labels, draft, canPublish, onMarks, onField }: Props) {
  const navigate = useNavigate()
  const { comment: linked } = useSearch({ strict: false })
  const [chosen, setOpened] = useState<string>()
  const opened = chosen ?? (linked === undefined ? undefined : '')
  const { data } = useQuery(commentsQuery(id))
  const threads = threadsOf(data ?? [])
  const count = threads.filter(isOpen).length
  const counts = JSON.stringify(countsOf(threads))
  // By value: the fields render again only if a number changes.
  useEffect(() => {
    const byKey = JSON.parse(counts) as Record<string, number>
    onMarks({
      mark(key, label) {
        const found = byKey[key] ?? 0
        // Blocks have the action in their menu.
        if (found === 0 && !(key in labels)) return null
        return (
          <Mark
            label={found === 0 ? t('comments.on', { label }) : t('comments.field', { count: found, label })}
            count={found}
            size={key in labels ? 'label' : 'small'}
            isLate={found === 0}
            onClick={() => setOpened(pathTo(key))}
          />
        )
      },
      comment: { text: t('comments.onThis'), onSelect: block => setOpened(pathTo(block)) },
    })
    return () => onMarks(undefined)
  }, [counts, labels, onMarks])
  const isDocked = matchMedia(wide).matches

  function close() {
    setOpened(undefined)
    if (linked !== undefined)
      void navigate({
        to: '.',
        search: before => Object.fromEntries(Object.entries(before).filter(([name]) => name !== 'comment')),
        replace: true,
        resetScroll: false,
      })
  }

  return (
    <>
      <Mark
        size="normal"
        label={count === 0 ? t('comments.title') : t('comments.count', { count })}
        count={count}
        isPressed={opened !== undefined}
        onClick={() => (opened === undefined ? setOpened('') : close())}
      />
      <Suspense>
        {opened !== undefined && (
          <CommentsDrawer
            id={id}
            labels={labels}
            draft={draft}
            field={opened}
            linkedId={linked}
            canPublish={canPublish}
            docked={isDocked}
            onClose={close}
            onShowAll={() => setOpened('')}
            onOpenField={path => {
              if (!isDocked) close()
              if (path === 'title') focusTitle()
              else onField(path)
            }}
          />
        )}
      </Suspense>
    </>
  )
}

/** The path of a field or block of the form. */
function pathTo(key: string): string {
  const block = document.querySelector(`main [data-block="${CSS.escape(key)}"]`)
  return block ? fieldAt(block).join('/') : key
}

/** After the drawer has returned the focus. */
function focusTitle(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main h1 [role="textbox"]')?.focus())
}
