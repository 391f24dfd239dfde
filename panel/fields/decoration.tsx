import { Notice } from '../ui/notice.tsx'
import { type FieldProps, textIn } from './field.ts'
import { Html } from './html.tsx'

const tones: Readonly<Record<string, 'neutral' | 'info' | 'good' | 'warn' | 'danger'>> = {
  positive: 'good', negative: 'danger', warning: 'warn', notice: 'warn', info: 'info', passive: 'neutral', text: 'neutral',
} // prettier-ignore

export function InfoField({ field }: FieldProps) {
  return (
    <Notice tone={tones[textIn(field['theme']) ?? ''] ?? 'neutral'} title={textIn(field.label)}>
      <div className="rich text-base">
        <Html value={textIn(field['text']) ?? ''} />
      </div>
    </Notice>
  )
}

export function HeadlineField({ field }: FieldProps) {
  return (
    <div className="pt-3">
      <h2 className="text-lg font-semibold wrap-anywhere">{field.label}</h2>
      {textIn(field.help) && (
        <div className="mt-1 text-sm text-muted">
          <Html value={textIn(field.help)!} />
        </div>
      )}
    </div>
  )
}

export function LineDecoration() {
  return <hr className="my-1.5" />
}

export function GapField() {
  return <div aria-hidden="true" className="h-5" />
}

export function HiddenField() {
  return null
}
