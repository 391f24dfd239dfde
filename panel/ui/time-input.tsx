import type { KeyboardEvent } from 'react'
import type { ControlProps } from './control.ts'
import { formatTimeValue, movedTime, readTime, timePattern } from './dates.ts'
import { useLocale } from './locale.ts'
import { useUiTexts } from './texts.ts'
import { TypedInput } from './typed-input.tsx'

interface Props extends ControlProps {
  /** `HH:mm` or `HH:mm:ss`, or empty. */
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

/** An input for a time of day. Accepts common notations such as `8:15`, `0815` or `8.15 pm`, and shows the time with `display`. */
export function TimeInput({ value, onChange, step = 300, display, notation, className, ...control }: Props) {
  const locale = useLocale()
  const texts = useUiTexts()
  const showsSeconds = step < 60
  const pattern = display ?? timePattern(locale, notation, showsSeconds)
  const shortened = (time: string) => (showsSeconds ? time : time.slice(0, 5))

  function pressed(event: KeyboardEvent) {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    onChange(shortened(movedTime(value, step, event.key === 'ArrowUp' ? 1 : -1)))
  }

  return (
    <TypedInput
      {...control}
      value={value}
      formatted={formatTimeValue(value, pattern, locale)}
      parse={typed => {
        const time = readTime(typed, locale)
        return time === undefined ? undefined : shortened(time)
      }}
      onChange={onChange}
      onKeyDown={pressed}
      placeholder={formatTimeValue('00:00', pattern, locale).replaceAll(/\d/g, '-')}
      invalidText={texts.notTime}
      className={className}
    />
  )
}
