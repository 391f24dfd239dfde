import { Link } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Release } from '../releases/query.ts'
import { t } from '../texts/texts.ts'
import { ListItem } from '../ui/list-item.tsx'

/** A release among pages. */
export function ReleaseItem({ release: { id, name, state }, info }: { release: Release; info: ReactNode }) {
  const text = `${t('releases.add.to')}: ${t(`releases.state.${state}`)}`
  return (
    <ListItem
      title={name}
      info={info}
      render={<Link to="/releases/$release" params={{ release: id }} />}
      after={
        <span data-tip={text} className="flex pe-1">
          <Rocket aria-hidden="true" className={`size-3.5 ${state === 'held' ? 'text-danger' : 'text-info'}`} />
          <span className="sr-only">{text}</span>
        </span>
      }
    />
  )
}
