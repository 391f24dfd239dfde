import { CircleAlert } from 'lucide-react'
import { useId } from 'react'
import type { ReactNode } from 'react'
import { FieldContext } from './control.ts'
import { cx } from './cx.ts'
import { filled, useUiTexts } from './texts.ts'

interface Props {
  label?: ReactNode
  /** The control, which takes its id, description and state from here. */
  children: ReactNode
  help?: ReactNode
  error?: string | readonly string[] | undefined
  required?: boolean | undefined
  disabled?: boolean | undefined
  /** The id of the control, if it must be a certain one. */
  htmlFor?: string | undefined
  /** How much is typed and how much may be. */
  counter?: { count: number; least?: number | undefined; most?: number | undefined } | undefined
  /** Stands at the end of the line of the label: a button, a badge. */
  action?: ReactNode
  /** The control is several elements (radios, rows): the label names them as a group. */
  group?: boolean | undefined
  className?: string | undefined
}

export function Field(props: Props) {
  const { label, children, help, error, required = false, disabled = false, counter, action, group } = props
  const made = useId()
  const id = props.htmlFor ?? made
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
        role={group ? 'group' : undefined}
        aria-labelledby={group && label ? labelId : undefined}
        aria-describedby={group ? describedBy : undefined}
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
        {invalid && (
          <div id={`${id}-error`} className="flex gap-1.5 text-sm text-danger">
            <CircleAlert aria-hidden="true" className="mt-px" />
            <div className="min-w-0 wrap-anywhere">
              {errors.map(text => (
                <p key={text}>{text}</p>
              ))}
            </div>
          </div>
        )}
        {help && (
          <div id={`${id}-help`} className="text-sm wrap-anywhere text-muted [&_a]:underline">
            {help}
          </div>
        )}
      </div>
    </FieldContext>
  )
}

function Counter({ count, least, most }: NonNullable<Props['counter']>) {
  const texts = useUiTexts()
  const wrong = (most !== undefined && count > most) || (least !== undefined && count > 0 && count < least)

  return (
    <span className={cx('text-xs tabular-nums', wrong ? 'text-danger' : 'text-faint')}>
      <span aria-hidden="true">
        {count}
        {most !== undefined && ` / ${most}`}
      </span>
      {most !== undefined && <span className="sr-only">{filled(texts.counter, { count, most })}</span>}
    </span>
  )
}
