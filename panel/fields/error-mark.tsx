import { CircleAlert } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { textsOf, type NestedError } from './field-errors.ts'

/** Marks a row or a block that has errors. */
export function ErrorMark({ className }: { className?: string | undefined }) {
  return (
    <span className={cx('inline-flex shrink-0 text-danger', className)}>
      <CircleAlert aria-hidden="true" />
      <span className="sr-only">{t('fields.wrong')}</span>
    </span>
  )
}

/** Lists errors of nested fields by label, where no form is shown. */
export function ErrorTexts({ nestedErrors }: { nestedErrors: readonly NestedError[] }) {
  return (
    <div className="flex gap-1.5 pt-1 text-sm text-danger">
      <CircleAlert aria-hidden="true" className="mt-px" />
      <div className="min-w-0 wrap-anywhere">
        {nestedErrors.filter(isOwn).map(error => (
          <p key={error.path.join('.')}>
            {error.label}: {textsOf(error).join(' ')}
          </p>
        ))}
      </div>
    </div>
  )
}

/** Deeper errors are shown at the field that contains them. */
const isOwn = ({ path }: NestedError) => path.length === 1
