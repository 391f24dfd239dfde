import { Link } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Release } from '../releases/query.ts'
import { StateBadge } from '../releases/state-badge.tsx'
import { ListItem } from '../ui/list-item.tsx'

/** A release among pages. */
export function ReleaseItem({ release: { id, name, state }, info }: { release: Release; info: ReactNode }) {
  return (
    <ListItem
      title={name}
      info={info}
      icon={Rocket}
      render={<Link to="/releases/$release" params={{ release: id }} />}
      after={<StateBadge state={state} />}
    />
  )
}
