import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cx } from './cx.ts'
import { fullDate, monthTitle, movedDate, today, weekdays, weeksOf } from './dates.ts'
import { IconButton } from './icon-button.tsx'
import { useLocale } from './locale.ts'
import { useUiTexts } from './texts.ts'

interface Props {
  /** `YYYY-MM-DD`, or empty. */
  value: string
  onSelect: (value: string) => void
  min?: string | undefined
  max?: string | undefined
  /** Why days before `min` or after `max` cannot be chosen. Shown with months that have such days. */
  outside?: string | undefined
  /** Days with a dot, and what it means. */
  marks?: Readonly<Record<string, string>> | undefined
}

/** A month. Arrow keys move by day and week, Page Up and Page Down by month, with Shift by year. */
export function Calendar({ value, onSelect, min = '0001-01-01', max = '9999-12-31', outside, marks = {} }: Props) {
  const locale = useLocale()
  const texts = useUiTexts()
  const titleId = useId()
  const outsideId = useId()
  const grid = useRef<HTMLTableElement>(null)
  const now = today()
  const [current, setCurrent] = useState(value === '' ? now : value)
  const isOutside = (day: string) => day < min || day > max
  const weeks = weeksOf(current, locale)
  const reason = weeks.flat().some(isOutside) ? outside : undefined

  /** The last change came from a key: the focus must move before the next key is pressed. */
  const isKey = useRef(false)
  function go(day: string) {
    isKey.current = true
    setCurrent(day)
  }
  useLayoutEffect(() => {
    if (isKey.current) grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
    isKey.current = false
  }, [current])

  function pressed(event: KeyboardEvent<HTMLTableElement>) {
    const forward = getComputedStyle(event.currentTarget).direction === 'rtl' ? -1 : 1
    const week = weeksOf(current, locale).find(days => days.includes(current))!
    const next: Readonly<Record<string, () => string>> = {
      ArrowRight: () => movedDate(current, forward),
      ArrowLeft: () => movedDate(current, -forward),
      ArrowDown: () => movedDate(current, 7),
      ArrowUp: () => movedDate(current, -7),
      Home: () => week[0]!,
      End: () => week[6]!,
      PageDown: () => movedDate(current, 0, event.shiftKey ? 12 : 1),
      PageUp: () => movedDate(current, 0, event.shiftKey ? -12 : -1),
    }
    const move = next[event.key]
    if (!move) return
    event.preventDefault()
    go(move())
  }

  return (
    <div className="w-64">
      <div className="mb-1 flex items-center gap-1">
        <IconButton
          size="small"
          icon={ChevronLeft}
          className="rtl:rotate-180"
          label={texts.previousMonth}
          onClick={() => setCurrent(movedDate(current, 0, -1))}
        />
        <p id={titleId} aria-live="polite" className="flex-1 text-center font-medium">
          {monthTitle(current, locale)}
        </p>
        <IconButton
          size="small"
          icon={ChevronRight}
          className="rtl:rotate-180"
          label={texts.nextMonth}
          onClick={() => setCurrent(movedDate(current, 0, 1))}
        />
      </div>
      <table
        ref={grid}
        role="grid"
        data-calendar=""
        aria-labelledby={titleId}
        aria-describedby={reason === undefined ? undefined : outsideId}
        onKeyDown={pressed}
        className="w-full table-fixed border-collapse text-center tabular-nums"
      >
        <thead>
          <tr>
            {weekdays(locale).map(({ short, long }) => (
              <th key={long} scope="col" abbr={long} className="h-7 text-xs font-normal text-muted">
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map(week => (
            <tr key={week[0]}>
              {week.map(day => (
                <td key={day} role="gridcell" aria-selected={day === value} className="p-0">
                  <button
                    type="button"
                    tabIndex={day === current ? 0 : -1}
                    aria-label={
                      marks[day] === undefined ? fullDate(day, locale) : `${fullDate(day, locale)}, ${marks[day]}`
                    }
                    aria-current={day === now ? 'date' : undefined}
                    disabled={isOutside(day)}
                    onClick={() => onSelect(day)}
                    className={cx(
                      'relative size-8 rounded-md hover:bg-hover disabled:opacity-40',
                      day === value && 'bg-accent! text-on-accent',
                      day === now && day !== value && 'font-semibold text-accent',
                      day.slice(0, 7) !== current.slice(0, 7) && day !== value && 'text-muted',
                    )}
                  >
                    {Number(day.slice(8))}
                    {marks[day] !== undefined && (
                      <span
                        aria-hidden="true"
                        className="absolute inset-x-0 bottom-0.5 mx-auto size-1 rounded-full bg-current"
                      />
                    )}
                  </button>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {reason !== undefined && (
        <p id={outsideId} className="px-1 pt-1 text-sm text-muted">
          {reason}
        </p>
      )}
      <div className="mt-1 border-t pt-1">
        <Button size="small" variant="plain" disabled={isOutside(now)} onClick={() => onSelect(now)}>
          {texts.today}
        </Button>
      </div>
    </div>
  )
}
