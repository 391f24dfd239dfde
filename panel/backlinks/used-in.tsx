import { File, FileText, Globe, Unlink, User } from 'lucide-react'
import { linkTo } from '../sections/link.tsx'
import { PaginatedList, usePaginated } from '../system/paginated-list.tsx'
import { formatNumber, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { type BacklinkTarget, backlinksQuery } from './query.ts'

const icons = { page: FileText, site: Globe, file: File, user: User }

/** All content that refers to a page or file, as far as it is visible to the user. */
export function UsedIn({ target }: { target: BacklinkTarget }) {
  const backlinks = usePaginated(backlinksQuery(target))
  const { total = 0 } = backlinks
  return (
    <Card
      flush
      title={
        <span className="flex items-baseline gap-2">
          <span>{t('files.uses')}</span>
          {total > 0 && <span className="text-sm font-normal text-muted tabular-nums">{formatNumber(total)}</span>}
        </span>
      }
    >
      <PaginatedList
        query={backlinks}
        loading={
          <div className="p-4">
            <Skeleton lines={3} />
          </div>
        }
        empty={<EmptyState small icon={Unlink} text={t('files.uses.none')} />}
      >
        {items => (
          <ul aria-label={t('files.uses')} className="divide-y">
            {items.map(({ uuid, kind, id, title, link, languages, unsaved }) => (
              <li key={uuid}>
                <ListItem
                  icon={icons[kind]}
                  title={title}
                  info={kind === 'user' ? undefined : (id ?? undefined)}
                  render={linkTo(link)}
                  after={
                    <>
                      {languages.map(code => (
                        <Badge key={code}>{code}</Badge>
                      ))}
                      {unsaved && <Badge tone="warn">{t('files.uses.unsaved')}</Badge>}
                    </>
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </PaginatedList>
    </Card>
  )
}
