import type { ReactNode } from 'react'
import type { AsyncAction } from '../app/action.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { formatCountdown } from './wait.tsx'

interface FormProps {
  action: AsyncAction<[]>
  /** Seconds until the next attempt is allowed. */
  secondsLeft: number
  children: ReactNode
  submitLabel: string
  disabled?: boolean
  /** Below the button: alternatives. */
  after?: ReactNode
}

/** A form with one button, which shows the remaining wait. */
export function SignInForm({ action, secondsLeft, children, submitLabel, disabled = false, after }: FormProps) {
  return (
    <form
      className="flex flex-col gap-4"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (secondsLeft === 0) void action.run()
      }}
    >
      {children}
      <Button
        type="submit"
        variant="primary"
        size="large"
        className="w-full"
        busy={action.busy}
        disabled={secondsLeft > 0 || disabled}
      >
        {secondsLeft > 0 ? t('signin.wait.button', { time: formatCountdown(secondsLeft) }) : submitLabel}
      </Button>
      {after}
    </form>
  )
}

interface EmailProps {
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  required?: boolean
  autoComplete?: string
  autoFocus?: boolean
}

export function EmailField({ error, required = false, autoComplete = 'username', ...input }: EmailProps) {
  return (
    <Field label={t('signin.email')} error={error} required={required}>
      <Input
        {...input}
        size="large"
        type="email"
        name="email"
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
      />
    </Field>
  )
}
