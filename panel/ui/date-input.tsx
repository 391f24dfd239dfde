import { CalendarDays } from 'lucide-react'
import { type KeyboardEvent, useState } from 'react'
import { Calendar } from './calendar.tsx'
import type { ControlProps } from './control.ts'
import { datePattern, formatDateValue, movedDate, readDate, today } from './dates.ts'
import { IconButton } from './icon-button.tsx'
import { useLocale } from './locale.ts'
import { Popover } from './popover.tsx'
import { useUiTexts } from './texts.ts'
import { TypedInput } from './typed-input.tsx'

interface Props extends ControlProps {
  /** `YYYY-MM-DD`, or empty. */
  value: string
  onChange: (value: string) => void
  min?: string | undefined
  max?: string | undefined
  /** Why other days cannot be chosen. */
  outside?: string | undefined
  /** A pattern such as `DD.MM.YYYY`; the default follows the language of the interface. */
  display?: string | undefined
  /** Shows a button that opens a calendar. */
  calendar?: boolean | undefined
  className?: string | undefined
}

/** A date, typed in the format of the interface language or chosen from a calendar. */
export function DateInput({
  value,
  onChange,
  min,
  max,
  outside,
  display,
  calendar = true,
  className,
  ...control
}: Props) {
  const locale = useLocale()
  const texts = useUiTexts()
  const [open, setOpen] = useState(false)
  const pattern = display ?? datePattern(locale)

  function pressed(event: KeyboardEvent) {
    if (event.key === 'ArrowDown' && event.altKey && calendar) setOpen(true)
    else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      onChange(value === '' ? today() : movedDate(value, event.key === 'ArrowUp' ? 1 : -1))
    else return
    event.preventDefault()
  }

  return (
    <TypedInput
      {...control}
      value={value}
      formatted={formatDateValue(value, pattern, locale)}
      parse={typed => readDate(typed, pattern, locale)}
      onChange={onChange}
      onKeyDown={pressed}
      placeholder={placeholderFor(pattern, locale)}
      invalidText={texts.notDate}
      className={className}
      action={
        calendar && (
          <Popover
            open={open}
            onOpenChange={setOpen}
            align="end"
            label={texts.calendar}
            initialFocus={() => document.querySelector<HTMLElement>('[data-calendar] [tabindex="0"]')}
            className="w-auto! p-2!"
            trigger={<IconButton size="small" icon={CalendarDays} label={texts.calendar} disabled={control.disabled} />}
          >
            <Calendar
              value={value}
              min={min}
              max={max}
              outside={outside}
              onSelect={next => {
                onChange(next)
                setOpen(false)
              }}
            />
          </Popover>
        )
      }
    />
  )
}

/** The pattern with the letters of the language: `TT.MM.JJJJ` in German. */
function placeholderFor(pattern: string, locale: string): string {
  if (!/^[YMD./\- ]+$/.test(pattern)) return ''
  const names = new Intl.DisplayNames(locale, { type: 'dateTimeField' })
  const letter = (field: string, fallback: string) => {
    const [first = ''] = names.of(field) ?? ''
    return /\p{Script=Latin}/u.test(first) ? first.toLocaleUpperCase(locale) : fallback
  }
  return pattern.replaceAll(
    /[YMD]/g,
    sign => ({ Y: letter('year', 'Y'), M: letter('month', 'M'), D: letter('day', 'D') })[sign]!,
  )
}
