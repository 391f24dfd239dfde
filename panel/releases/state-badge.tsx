import { CalendarClock, CircleCheck, TriangleAlert } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import type { Release } from './query.ts'

const looks = {
  open: {},
  scheduled: { tone: 'info', icon: CalendarClock },
  held: { tone: 'danger', icon: TriangleAlert },
  published: { tone: 'good', icon: CircleCheck },
} as const

export function StateBadge({ state }: Pick<Release, 'state'>) {
  return <Badge {...looks[state]}>{t(`releases.state.${state}`)}</Badge>
}
