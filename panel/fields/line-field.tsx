import { iconOf } from '../app/icons.ts'
import { Input } from '../ui/input.tsx'
import { type FieldProps, textIn } from './field.ts'

const modes = { text: 'text', email: 'email', tel: 'tel', url: 'url' } as const

/** A single line: text, e-mail address, telephone number or URL. */
export function LineField({ field, value, onChange, disabled }: FieldProps<string>) {
  const type = field.type in modes ? (field.type as keyof typeof modes) : 'text'

  return (
    <Input
      type={type}
      inputMode={modes[type]}
      value={value ?? ''}
      onChange={onChange}
      disabled={disabled}
      placeholder={textIn(field.placeholder)}
      before={field.before}
      after={field.after}
      icon={iconOf(field.icon)}
      mono={field['font'] === 'monospace'}
      spellCheck={field['spellcheck'] === true}
      autoComplete={textIn(field['autocomplete'])}
      autoFocus={field.autofocus}
      dir={type === 'text' ? 'auto' : 'ltr'}
    />
  )
}
