import { usePaginated } from '../system/paginated-list.tsx'
import { t } from '../texts/texts.ts'
import { Notice } from '../ui/notice.tsx'
import { type BacklinkTarget, backlinksQuery } from './query.ts'

const maxListed = 5

/** Shown before a deletion: the content whose references will be broken. Renders nothing if there is none. */
export function StillUsed({ target }: { target: BacklinkTarget }) {
  const { items = [], total = 0 } = usePaginated(backlinksQuery(target))
  if (total === 0) return null
  const listed = items.slice(0, maxListed)
  return (
    <Notice tone="warn" live>
      <p>{t('page' in target ? 'pages.delete.uses' : 'files.delete.uses', { count: total })}</p>
      <ul className="list-disc ps-5 wrap-anywhere">
        {listed.map(({ uuid, title }) => (
          <li key={uuid}>{title}</li>
        ))}
        {total > listed.length && <li>{t('files.delete.uses.more', { count: total - listed.length })}</li>}
      </ul>
    </Notice>
  )
}
