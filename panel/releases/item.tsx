import { File, FileText, Globe, Trash2, X } from 'lucide-react'
import { linkTo } from '../sections/link.tsx'
import { t } from '../texts/texts.ts'
import type { Icon } from '../ui/icon.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { ListItem } from '../ui/list-item.tsx'
import type { ReleaseItem } from './query.ts'

const icons: Readonly<Record<string, Icon>> = { page: FileText, file: File, site: Globe }

interface Props {
  item: ReleaseItem
  busy: boolean
  /** Undefined once the release is published. */
  onRemove: (() => void) | undefined
}

/** A page or file of a release, what happens to it, and why it was refused. */
export function Item({ item, busy, onRemove }: Props) {
  const { uuid, title, link, action, problem } = item
  return (
    <>
      <ListItem
        title={title}
        info={textOf(item, onRemove !== undefined)}
        icon={action === 'delete' ? Trash2 : icons[uuid.slice(0, uuid.indexOf(':'))]}
        render={link === null ? undefined : linkTo(link)}
        after={
          onRemove && (
            <IconButton icon={X} label={t('releases.item.remove', { title })} busy={busy} onClick={onRemove} />
          )
        }
      />
      {problem && <p className="px-4 pb-2 ps-11 text-sm wrap-anywhere text-danger">{problem.message}</p>}
    </>
  )
}

function textOf({ action, drafts, status, currentStatus, statusLabel, link }: ReleaseItem, isOpen: boolean): string {
  if (action === 'delete') return t(isOpen ? 'releases.item.delete' : 'editor.diff.gone')
  if (link === null) return t('releases.item.gone')
  const parts = [
    drafts > 0 && t('releases.item.drafts', { count: drafts }),
    status !== null &&
      (!isOpen || status !== currentStatus) &&
      t('releases.item.status', { status: statusLabel ?? status }),
  ].filter(part => part !== false)
  return parts.length > 0 ? parts.join(' · ') : isOpen ? t('releases.item.nothing') : t('releases.state.published')
}
