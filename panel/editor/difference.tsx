import { useMemo } from 'react'
import { t } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { diff } from './diff.ts'
import { readable } from './readable.ts'

const drawn = {
  same: '',
  gone: 'bg-danger-soft text-danger line-through decoration-1',
  new: 'bg-good-soft text-good no-underline',
}
const elements = { same: 'span', gone: 'del', new: 'ins' } as const

/** Two values of a field in one text: what was taken away, and what was added. */
export function Difference({ before, after }: { before: unknown; after: unknown }) {
  const parts = useMemo(() => diff(readable(before), readable(after)), [before, after])
  if (parts.length === 0) return <p className="text-muted">{t('editor.diff.form')}</p>
  return (
    <p className="wrap-anywhere whitespace-pre-wrap">
      {shortened(parts).map(({ kind, text }, index) => {
        const Element = elements[kind]
        return (
          <Element
            key={index}
            className={cx(kind !== 'same' && 'rounded-sm px-0.5', kind === 'gone' && 'me-0.5', drawn[kind])}
          >
            {text}
          </Element>
        )
      })}
    </p>
  )
}

const around = 120

/** Long stretches that are the same are left out but for what stands beside a change. */
function shortened(parts: ReturnType<typeof diff>) {
  return parts.map((part, index) => {
    if (part.kind !== 'same' || part.text.length < around * 3) return part
    const start = index === 0 ? '' : part.text.slice(0, around)
    const end = index === parts.length - 1 ? '' : part.text.slice(-around)
    return { ...part, text: `${start} … ${end}` }
  })
}
