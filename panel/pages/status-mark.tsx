import { t } from '../texts/texts.ts'
import { StatusDot } from '../ui/status-dot.tsx'
import type { Status } from './page.ts'

export const statusTone = { draft: 'danger', unlisted: 'info', listed: 'good' } as const

export const statusName = (status: Status) => t(`pages.status.${status}`)

interface Props {
  status: Status
  /** The name of the status, as the blueprint has it. */
  label: string
  /** Title of the page, for screen readers. */
  name: string
  onSelect?: (() => void) | undefined
}

/** A button with the status of a page in a list. Opens the status dialog. */
export function StatusMark({ status, label, name, onSelect }: Props) {
  if (!onSelect)
    return (
      <span className="flex size-8 items-center justify-center">
        <StatusDot tone={statusTone[status]} label={label} />
      </span>
    )
  return (
    <button
      type="button"
      aria-label={t('pages.status.of', { title: name, status: label })}
      data-tip={label}
      onClick={onSelect}
      className="flex size-8 items-center justify-center rounded-md hover:bg-hover"
    >
      <StatusDot tone={statusTone[status]} label="" />
    </button>
  )
}
