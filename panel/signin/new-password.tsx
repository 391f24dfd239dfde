import { Dices } from 'lucide-react'
import { useState } from 'react'
import { signin } from '../texts/en/signin.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Field } from '../ui/field.tsx'
import { PasswordInput } from '../ui/password-input.tsx'
import { type Strength, strengthOf, defaultLength } from './strength.ts'

addTexts(signin)

interface Props {
  value: string
  onChange: (value: string) => void
  label?: string
  error?: string | undefined
  /** Name and e-mail address of the user, which an attacker would guess first. */
  names?: readonly string[]
  size?: 'normal' | 'large'
}

/** A new password with a strength hint, and a suggested passphrase. */
export function NewPassword({
  value,
  onChange,
  label = t('signin.newPassword'),
  error,
  names = [],
  size = 'large',
}: Props) {
  const [suggested, setSuggested] = useState<string>()
  const strength = strengthOf(value, names)

  async function suggest(): Promise<void> {
    const { createPassphrase } = await import('./passphrase.ts')
    const passphrase = createPassphrase()
    setSuggested(passphrase)
    onChange(passphrase)
  }

  return (
    <Field
      label={label}
      error={error}
      help={
        <>
          {strength.level !== 'empty' && <Meter level={strength.level} />}
          {value !== '' && value === suggested && (
            <code className="mb-1 block font-mono break-words text-ink select-all">{value}</code>
          )}
          <span role="status">
            {value !== '' && value === suggested ? t('signin.newPassword.suggested') : hint(strength)}
          </span>
        </>
      }
      action={
        <span className="-my-1 -me-2">
          <Button variant="plain" size="small" icon={Dices} className="text-muted" onClick={() => void suggest()}>
            {t('signin.newPassword.suggest')}
          </Button>
        </span>
      }
    >
      <PasswordInput size={size} name="password" value={value} onChange={onChange} autoComplete="new-password" />
    </Field>
  )
}

function hint({ level, reason, missingCharacters }: Strength): string {
  if (level === 'empty') return t('signin.newPassword.help', { min: defaultLength })
  if (reason === 'short') return t('signin.newPassword.short', { count: missingCharacters })
  if (reason !== undefined) return t(`signin.newPassword.${reason}`)
  return t(level === 'strong' ? 'signin.newPassword.strong' : 'signin.newPassword.fair')
}

const meterClasses = {
  weak: ['w-1/4', 'bg-danger'],
  fair: ['w-2/3', 'bg-warn'],
  strong: ['w-full', 'bg-good'],
} as const

function Meter({ level }: { level: keyof typeof meterClasses }) {
  return (
    <span aria-hidden="true" className="mb-1.5 block h-1 overflow-hidden rounded-full bg-line">
      <span className={cx('block h-full rounded-full transition-[width]', ...meterClasses[level])} />
    </span>
  )
}
