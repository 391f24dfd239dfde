import { useQuery } from '@tanstack/react-query'
import { MessageSquareText } from 'lucide-react'
import { useContentLanguage } from '../app/language.ts'
import { formatRelativeTime, t } from '../texts/texts.ts'
import { PageList } from './page-list.tsx'
import { reviewsQuery } from './queries.ts'
import { TodayCard } from './today-card.tsx'

/** Pages that wait for a review, the oldest first. Not shown without any. */
export function Reviews() {
  const { code: language } = useContentLanguage()
  const query = useQuery(reviewsQuery(language))
  if (!query.data || query.data.length === 0) return null
  return (
    <TodayCard title={t('today.reviews')} icon={MessageSquareText} empty="" query={query}>
      {pages => (
        <PageList
          label={t('today.reviews')}
          pages={pages}
          languageOf={({ state }) => state.review?.language ?? undefined}
          infoOf={({ state: { review } }) =>
            review &&
            t('today.reviews.by', {
              name: review.user?.username || t('editor.lock.someone'),
              ago: formatRelativeTime(review.requested),
            })
          }
        />
      )}
    </TodayCard>
  )
}
