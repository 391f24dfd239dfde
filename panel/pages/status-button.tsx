import { t } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import { canPublish, type PageModel } from './page.ts'
import { statusLabel } from './publish.ts'
import { statusTone } from './status-mark.tsx'

/** A button with the status of a page and its description. Opens the status dialog. */
export function StatusButton({ page, onSelect }: { page: PageModel; onSelect: () => void }) {
  const { status, blueprint, options } = page
  const label = statusLabel(page, status)
  const text = blueprint.status?.[status]?.text
  const shape = 'inline-flex min-h-8 items-center rounded-full border bg-surface px-3 text-sm font-medium'
  if (options['changeStatus'] !== true || !canPublish(page))
    return (
      <span className={shape} data-tip={text ?? undefined}>
        <StatusDot isLabelShown tone={statusTone[status]} label={label} />
      </span>
    )
  return (
    <button
      type="button"
      onClick={onSelect}
      data-tip={text ?? undefined}
      aria-label={t('pages.status.button', { status: label })}
      className={cx(shape, 'border-line-strong transition-colors hover:border-edge hover:bg-hover')}
    >
      <StatusDot isLabelShown tone={statusTone[status]} label={label} />
    </button>
  )
}
