import { WandSparkles } from 'lucide-react'
import { iconOf } from '../app/icons.ts'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Input } from '../ui/input.tsx'
import { type FieldProps, isMap, textIn, primitiveText } from './field.ts'

/** A part of a URL. The input is converted on blur, so that it does not change while typing. */
export function SlugField({ field, value = '', onChange, disabled, siblings }: FieldProps<string>) {
  const wizard = isMap(field['wizard']) ? field['wizard'] : undefined
  const source = textIn(wizard?.['field']) ?? textIn(field['sync'])
  const allowed = textIn(field['allow']) ?? ''

  return (
    <Input
      value={value}
      onChange={onChange}
      onBlur={() => {
        const slug = toSlug(value, allowed)
        if (slug !== value) onChange(slug)
      }}
      disabled={disabled}
      icon={iconOf(field.icon)}
      before={textIn(field['path']) ?? field.before}
      after={field.after}
      placeholder={textIn(field.placeholder)}
      spellCheck={false}
      autoCapitalize="none"
      dir="ltr"
      action={
        source !== undefined && !disabled ? (
          <IconButton
            size="small"
            icon={WandSparkles}
            label={textIn(wizard?.['text']) ?? t('fields.slug.make')}
            onClick={() => onChange(toSlug(primitiveText(siblings()[source.toLowerCase()]), allowed))}
          />
        ) : undefined
      }
    />
  )
}

function toSlug(text: string, allowed: string): string {
  const escaped = allowed.replaceAll(/[^\w.~/@+-]/g, '').replaceAll(/[\\\]^-]/g, String.raw`\$&`)
  return text
    .trim()
    .toLocaleLowerCase()
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(new RegExp(`[^\\p{L}\\p{N}${escaped}]+`, 'gu'), '-')
    .replaceAll(/^-+|-+$/g, '')
}
