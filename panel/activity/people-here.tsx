import { cloneElement } from 'react'
import { linkTo } from '../sections/link.tsx'
import { t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { presentUsers, type PresentUser } from './presence.ts'

const nameOf = ({ user }: PresentUser) => user?.username || t('activity.someone')

/** Others are only named. */
const maxFaces = 3

/** Who else has this page open. */
export function PeopleOnPage({ uuid }: { uuid: string }) {
  const people = presentUsers.use().filter(({ page }) => page?.uuid === uuid)
  return <Faces people={people} text="activity.here.page" isShown />
}

/** Who else has a page of a list open. */
export function PeopleAt({ link }: { link: string }) {
  const people = presentUsers.use().filter(({ page }) => page?.link === link)
  return <Faces people={people} text="activity.here.row" />
}

interface FacesProps {
  people: readonly PresentUser[]
  /** Their names follow it. */
  text: 'activity.here.page' | 'activity.here.row'
  /** Shows the text beside the faces; otherwise it is a tooltip. */
  isShown?: boolean
}

function Faces({ people, text: key, isShown = false }: FacesProps) {
  if (people.length === 0) return null
  const text = t(key, { names: people.map(nameOf).join(', ') })
  return (
    <span
      role="img"
      aria-label={text}
      data-tip={text}
      className="inline-flex max-w-full min-w-0 items-center -space-x-2"
    >
      {people.slice(0, maxFaces).map((person, index) => (
        <span key={index} className="shrink-0 rounded-full ring-2 ring-canvas">
          <Avatar size="small" name={nameOf(person)} url={person.user?.avatar} />
        </span>
      ))}
      {isShown && <span className="min-w-0 truncate ps-4 text-sm text-muted">{text}</span>}
    </span>
  )
}

/** Who else has the panel open, and where. */
export function PeopleHere() {
  const people = presentUsers.use()
  if (people.length === 0) return null
  return (
    <section aria-label={t('activity.here')} className="mb-4 flex flex-wrap items-center gap-x-5 gap-y-2">
      <h2 className="text-sm font-semibold text-muted">{t('activity.here')}</h2>
      <ul className="contents">
        {people.map((person, index) => (
          <li key={index} className="flex min-w-0 items-center gap-2">
            <Avatar size="small" name={nameOf(person)} url={person.user?.avatar} />
            <span className="min-w-0 truncate">
              {nameOf(person)}
              <OpenPage page={person.page} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function OpenPage({ page }: { page: PresentUser['page'] | undefined }) {
  const link = page?.link ? linkTo(page.link) : undefined
  if (!page || !link) return null
  return (
    <>
      {' · '}
      {cloneElement(link, { className: 'text-accent hover:underline' }, page.title)}
    </>
  )
}
