import {
  CalendarClock,
  CircleAlert,
  MessageSquareReply,
  MessageSquareText,
  PencilLine,
  Rocket,
  UserPen,
} from 'lucide-react'
import { formatDate, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import type { Icon } from '../ui/icon.ts'
import type { TreePage } from './tree/nodes.ts'

export type PageState = TreePage['state']

interface Mark {
  icon: Icon
  tone: 'accent' | 'info' | 'warn'
  /** One word, for rows with room. */
  name: string
  text: string
}

interface Props {
  state: PageState
  /** Shows the words on wide screens; otherwise they are in tooltips. */
  named?: boolean | undefined
}

const colours = { accent: 'text-accent', info: 'text-info', warn: 'text-warn' }

/** What is unpublished, in review, scheduled, in a release, being edited or incomplete. The same marks in rows, cards, tree and search. */
export function StateMarks({ state, named = false }: Props) {
  const marks = marksOf(state)
  if (marks.length === 0) return null
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      {marks.map(({ icon: Icon, tone, name, text }) => (
        <span key={name} data-tip={text} className="flex items-center">
          {named && (
            <span aria-hidden="true" className="max-md:hidden">
              <Badge icon={Icon} tone={tone}>
                {name}
              </Badge>
            </span>
          )}
          <Icon aria-hidden="true" className={`size-3.5 ${colours[tone]} ${named ? 'md:hidden' : ''}`} />
          <span className="sr-only">{text}</span>
        </span>
      ))}
    </span>
  )
}

function marksOf({ changes, incomplete, release, review, schedule }: PageState): Mark[] {
  const marks: Mark[] = []
  if (changes) marks.push(changes.isLocked ? editingMark(changes) : changedMark(changes))
  if (review) marks.push(reviewMark(review))
  if (schedule) marks.push(scheduledMark(schedule))
  if (release)
    marks.push({
      icon: Rocket,
      tone: release.action === 'delete' ? 'warn' : 'info',
      name: t('releases.add.to'),
      text: t(release.action === 'delete' ? 'releases.in.delete' : 'releases.in', release),
    })
  if (incomplete === true)
    marks.push({
      icon: CircleAlert,
      tone: 'warn',
      name: t('pages.state.incomplete'),
      text: t('pages.state.incomplete.text'),
    })
  return marks
}

type Changes = NonNullable<PageState['changes']>

const nameOf = ({ user }: Changes) => user?.username || t('editor.lock.someone')

const editingMark = (changes: Changes): Mark => ({
  icon: UserPen,
  tone: 'accent',
  name: t('pages.state.editing'),
  text: t('editor.lock.title', { name: nameOf(changes) }),
})

function changedMark(changes: Changes): Mark {
  const text = changes.isOwn ? t('pages.state.changed.own') : t('pages.state.changed.by', { name: nameOf(changes) })
  const title = changes.title === null ? [] : [t('pages.state.changed.title', { title: changes.title })]
  return { icon: PencilLine, tone: 'info', name: t('pages.state.changed'), text: [text, ...title].join(' ') }
}

function reviewMark({ state, user }: NonNullable<PageState['review']>): Mark {
  const name = user?.username || t('editor.lock.someone')
  return state === 'waiting'
    ? { icon: MessageSquareText, tone: 'info', name: t('review.waiting'), text: t('review.state.waiting', { name }) }
    : { icon: MessageSquareReply, tone: 'warn', name: t('review.sentBack'), text: t('review.state.returned', { name }) }
}

function scheduledMark({ at, problem }: NonNullable<PageState['schedule']>): Mark {
  const time = formatDate(at)
  return {
    icon: CalendarClock,
    tone: problem === null ? 'info' : 'warn',
    name: t('pages.state.scheduled'),
    text: problem === null ? t('pages.schedule.for', { time }) : t('pages.schedule.missed', { time }),
  }
}
