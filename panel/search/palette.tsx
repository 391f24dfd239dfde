import { Dialog as Base } from '@base-ui/react/dialog'
import { Search, SearchX } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import { useDebounced } from '../app/use-debounced.ts'
import { StateMarks } from '../pages/state-marks.tsx'
import { statusTone } from '../pages/status-mark.tsx'
import { t } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { FadingImage } from '../ui/fading-image.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { StatusDot } from '../ui/status-dot.tsx'
import { type SearchResult, useResults } from './results.ts'

/** The command palette (⌘K): pages, files, accounts and actions of the current screen. */
export function Palette({ onClose, onShortcuts }: { onClose: () => void; onShortcuts: () => void }) {
  const [typed, setTyped] = useState('')
  const [index, setIndex] = useState(0)
  const settled = useDebounced(useDeferredValue(typed), 120)
  const { groups, isPending, isSettled } = useResults(settled, onShortcuts)
  const all = groups.flatMap(({ results }) => results)
  const current = Math.min(index, Math.max(all.length - 1, 0))
  const id = useId()
  // Enter was pressed before the results arrived: the first one is chosen when they do.
  const [isEager, setEager] = useState(false)
  const isCurrent = settled === typed && isSettled
  const input = useRef<HTMLInputElement>(null)
  const optionId = (position: number) => `${id}-${position}`

  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, current])

  useEffect(() => {
    if (isEager && isCurrent) choose(all[current])
  })

  function choose(result: SearchResult | undefined) {
    setEager(false)
    if (!result) return
    onClose()
    // Delayed, because the action may open a dialog, and the palette must be closed first.
    setTimeout(result.run)
  }

  function onKeyDown(event: KeyboardEvent) {
    const { key } = event
    const to = { ArrowDown: current + 1, ArrowUp: current - 1 }[key]
    if (to !== undefined) setIndex((to + all.length) % Math.max(all.length, 1))
    else if (key === 'Enter' && isCurrent) choose(all[current])
    else if (key === 'Enter') setEager(true)
    else return
    event.preventDefault()
  }

  let lastIndex = -1
  return (
    <Base.Root open onOpenChange={open => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-scrim" />
        <Base.Viewport className="fixed inset-0 z-40 flex items-start justify-center p-3 sm:pt-[12dvh]">
          <Base.Popup
            initialFocus={input}
            className="popup flex max-h-[min(34rem,calc(100dvh-1.5rem))] w-full max-w-xl flex-col"
          >
            <Base.Title className="sr-only">{t('app.search')}</Base.Title>
            <div className="flex items-center gap-2.5 border-b px-4">
              <Search aria-hidden="true" className="text-muted" />
              <input
                ref={input}
                role="combobox"
                aria-label={t('search.label')}
                aria-expanded={all.length > 0}
                aria-controls={all.length > 0 ? `${id}-list` : undefined}
                aria-activedescendant={all.length > 0 ? optionId(current) : undefined}
                aria-autocomplete="list"
                autoComplete="off"
                spellCheck={false}
                value={typed}
                placeholder={t('search.placeholder')}
                onChange={event => {
                  setTyped(event.target.value)
                  setIndex(0)
                }}
                onKeyDown={onKeyDown}
                className="min-h-12 min-w-0 flex-1 bg-transparent text-lg outline-none"
              />
              <span className="max-sm:hidden">
                <Kbd keys="Esc" />
              </span>
            </div>
            {all.length === 0 && (
              <div className="p-4">
                {isPending ? (
                  <Skeleton className="h-8" lines={3} />
                ) : (
                  <EmptyState small icon={SearchX} text={t('search.none', { words: settled.trim() })} />
                )}
              </div>
            )}
            {all.length > 0 && (
              <div
                role="listbox"
                id={`${id}-list`}
                aria-label={t('search.results')}
                tabIndex={0}
                onKeyDown={onKeyDown}
                className="min-h-0 flex-1 overflow-y-auto p-2 -outline-offset-2"
              >
                {groups.map(({ name, results }, group) => (
                  <div key={name} role="group" aria-labelledby={`${id}-group-${group}`} className="pb-2">
                    <div id={`${id}-group-${group}`} className="px-2 pt-1 pb-1 text-xs font-medium text-muted">
                      {name}
                    </div>
                    {results.map(result => {
                      const own = ++lastIndex
                      return (
                        <Option
                          key={result.key}
                          id={optionId(own)}
                          result={result}
                          isCurrent={own === current}
                          onHover={() => setIndex(own)}
                          onSelect={() => choose(result)}
                        />
                      )
                    })}
                  </div>
                ))}
              </div>
            )}
            <span role="status" className="sr-only">
              {isPending ? '' : t('search.count', { count: all.length })}
            </span>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  )
}

interface OptionProps {
  id: string
  result: SearchResult
  isCurrent: boolean
  onHover: () => void
  onSelect: () => void
}

function Option({
  id,
  result: { text, info, icon: Icon, image, page, excerpt },
  isCurrent,
  onHover,
  onSelect,
}: OptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      onPointerMove={onHover}
      onClick={onSelect}
      className={cx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1',
        isCurrent && 'bg-accent-soft',
      )}
    >
      {image === undefined ? (
        <Icon aria-hidden="true" className={isCurrent ? 'text-accent' : 'text-muted'} />
      ) : (
        // As wide as an icon, so that all names are aligned.
        <FadingImage src={image} icon={Icon} cover className="-mx-1 size-6 rounded-sm" />
      )}
      <span className="min-w-0 truncate">{text}</span>
      {page && (
        <>
          <StatusDot tone={statusTone[page.status]} label={page.state.statusLabel} />
          <StateMarks state={page.state} />
        </>
      )}
      {excerpt && (
        // In the same line, so that nothing moves when it arrives.
        <span dir="auto" className="min-w-0 flex-1 basis-0 truncate text-sm text-muted">
          {excerpt.before}
          <mark className="bg-transparent font-medium text-ink">{excerpt.match}</mark>
          {excerpt.after}
        </span>
      )}
      {info && (
        <span className={cx('ms-auto min-w-0 max-w-1/2 truncate text-sm text-muted', excerpt && 'max-sm:hidden')}>
          <bdi>{info}</bdi>
        </span>
      )}
    </div>
  )
}
