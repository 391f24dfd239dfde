import type { KeyboardEvent } from 'react'
import type { ControlProps } from './control.ts'
import { formatTimeValue, movedTime, readTime, timePattern } from './dates.ts'
import { useLocale } from './locale.ts'
import { useUiTexts } from './texts.ts'
import { TypedInput } from './typed-input.tsx'

interface Props extends ControlProps {
  /** `HH:MM` or `HH:MM:SS`, or empty. */
  value: string
  onChange: (value: string) => void
  /** Step of the arrow keys, in seconds. Below 60, seconds are shown. */
  step?: number | undefined
  /** A pattern such as `h:mm a`; the default follows the notation. */
  display?: string | undefined
  /** 12 or 24 hours; the default follows the language of the interface. */
  notation?: 12 | 24 | undefined
  className?: string | undefined
}

/** A time of day, typed in the format of the interface language. */
export function TimeInput({ value, onChange, step = 300, display, notation, className, ...control }: Props) {
  const locale = useLocale()
  const texts = useUiTexts()
  const exact = step < 60
  const pattern = display ?? timePattern(locale, notation, exact)
  const shortened = (time: string) => (exact ? time : time.slice(0, 5))

  function pressed(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    onChange(shortened(movedTime(value, step, event.key === 'ArrowUp' ? 1 : -1)))
  }

  return (
    <TypedInput
      {...control}
      value={value}
      shown={formatTimeValue(value, pattern, locale)}
      read={typed => {
        const time = readTime(typed, locale)
        return time === undefined ? undefined : shortened(time)
      }}
      onChange={onChange}
      onKeyDown={pressed}
      placeholder={formatTimeValue('00:00', pattern, locale).replaceAll(/\d/g, '-')}
      wrong={texts.notTime}
      className={className}
    />
  )
}
