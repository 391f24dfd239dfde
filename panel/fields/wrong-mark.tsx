import { CircleAlert } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { textsOf, type WrongInside } from './wrong.ts'

/** Stands at a row or a block in which something is wrong. */
export function WrongMark({ className }: { className?: string | undefined }) {
  return (
    <span className={cx('inline-flex shrink-0 text-danger', className)}>
      <CircleAlert aria-hidden="true" />
      <span className="sr-only">{t('fields.wrong')}</span>
    </span>
  )
}

/** What is wrong inside of something that shows no form: each field with its name. */
export function WrongTexts({ inside }: { inside: readonly WrongInside[] }) {
  return (
    <div className="flex gap-1.5 pt-1 text-sm text-danger">
      <CircleAlert aria-hidden="true" className="mt-px" />
      <div className="min-w-0 wrap-anywhere">
        {inside.filter(isOwn).map(one => (
          <p key={one.path.join('.')}>
            {one.label}: {textsOf(one).join(' ')}
          </p>
        ))}
      </div>
    </div>
  )
}

/** What is deeper is told with the field that it is in. */
const isOwn = ({ path }: WrongInside) => path.length === 1
