import { CircleAlert } from 'lucide-react'
import { useEffect, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { FieldContext } from './control.ts'
import { cx } from './cx.ts'
import { fillText, useUiTexts } from './texts.ts'

interface Props {
  label?: ReactNode
  /** The control. It takes its id, description and state from the context of the field. */
  children: ReactNode
  help?: ReactNode
  error?: string | readonly string[] | undefined
  required?: boolean | undefined
  disabled?: boolean | undefined
  /** The id of the control, if it must have a specific one. */
  htmlFor?: string | undefined
  /** Number of characters typed, and its limits. */
  counter?: { count: number; min?: number | undefined; max?: number | undefined } | undefined
  /** At the end of the label's line: a button, a badge. */
  action?: ReactNode
  /**
   * The control has several elements (rows, checkboxes), which the label names as a group. A `radiogroup` takes name and
   * description from the context: with a group around it they would be announced twice.
   */
  group?: boolean | 'radiogroup' | undefined
  className?: string | undefined
}

export function Field(props: Props) {
  const { label, children, help, error, required = false, disabled = false, counter, action, group } = props
  const generatedId = useId()
  const id = props.htmlFor ?? generatedId
  const errors = (typeof error === 'string' ? [error] : (error ?? [])).filter(text => text !== '')
  const invalid = errors.length > 0
  const describedBy = [invalid && `${id}-error`, help && `${id}-help`].filter(Boolean).join(' ') || undefined
  const labelId = `${id}-label`
  const texts = useUiTexts()

  const title = (
    <>
      {label}
      {required && (
        <>
          <span aria-hidden="true" className="ms-1 text-danger">
            *
          </span>
          <span className="sr-only"> ({texts.required})</span>
        </>
      )}
    </>
  )

  return (
    <FieldContext value={{ id, labelId, describedBy, invalid, required, disabled }}>
      <div
        className={cx('flex min-w-0 flex-col gap-1.5', props.className)}
        data-has-error={invalid ? '' : undefined}
        {...(group === true && {
          role: 'group',
          'aria-labelledby': label ? labelId : undefined,
          'aria-describedby': describedBy,
        })}
      >
        {(label || action || counter) && (
          <div className="flex min-h-5 items-end gap-2">
            {label &&
              (group ? (
                <span id={labelId} className="min-w-0 font-medium wrap-anywhere">
                  {title}
                </span>
              ) : (
                <label id={labelId} htmlFor={id} className="min-w-0 font-medium wrap-anywhere">
                  {title}
                </label>
              ))}
            <div className="ms-auto flex shrink-0 items-center gap-2">
              {counter && <Counter {...counter} />}
              {action}
            </div>
          </div>
        )}
        {children}
        <Errors id={`${id}-error`} texts={errors} />
        {help && (
          // Help may be written in another direction than the interface; `plaintext` puts its punctuation on the right side.
          <div
            id={`${id}-help`}
            className="text-sm wrap-anywhere text-muted [unicode-bidi:plaintext] rtl:text-right [&_a]:underline [&_p]:[unicode-bidi:plaintext]"
          >
            {help}
          </div>
        )}
      </div>
    </FieldContext>
  )
}

/** Must equal `duration-150` of the transition below: the message is removed when it ends. */
const transitionMs = 150

function Errors({ id, texts }: { id: string; texts: readonly string[] }) {
  const joined = texts.join('\n')
  const [lastText, setLastText] = useState(joined)
  const isOpen = joined !== ''
  // Keep the previous message while the transition closes.
  useEffect(() => {
    if (lastText === joined) return undefined
    const timer = setTimeout(() => setLastText(joined), isOpen ? 0 : transitionMs)
    return () => clearTimeout(timer)
  }, [joined, lastText, isOpen])
  const shownText = isOpen ? joined : lastText

  return (
    <div
      className={cx(
        '-mt-1.5 grid transition-[grid-template-rows] duration-150 motion-reduce:transition-none',
        isOpen ? 'grid-rows-[1fr]' : 'grid-rows-[0fr]',
      )}
    >
      {shownText !== '' && (
        <div
          id={isOpen ? id : undefined}
          aria-hidden={isOpen ? undefined : true}
          className="flex min-h-0 gap-1.5 overflow-hidden text-sm text-danger"
        >
          <CircleAlert aria-hidden="true" className="mt-[7px]" />
          <div className="min-w-0 pt-1.5 wrap-anywhere">
            {shownText.split('\n').map(text => (
              <p key={text}>{text}</p>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

function Counter({ count, min, max }: NonNullable<Props['counter']>) {
  const texts = useUiTexts()
  const isOutOfRange = (max !== undefined && count > max) || (min !== undefined && count > 0 && count < min)

  return (
    <span className={cx('text-xs tabular-nums', isOutOfRange ? 'text-danger' : 'text-faint')}>
      <bdi aria-hidden="true" dir="ltr">
        {count}
        {max !== undefined && ` / ${max}`}
      </bdi>
      {max !== undefined && <span className="sr-only">{fillText(texts.counter, { count, limit: max })}</span>}
    </span>
  )
}
