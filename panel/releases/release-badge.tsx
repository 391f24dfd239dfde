import { Link } from '@tanstack/react-router'
import { Rocket } from 'lucide-react'
import type { PageModel } from '../pages/page.ts'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'

/** The release that a page is in, as a link. */
export function ReleaseBadge({ release: { id, name, action } }: { release: NonNullable<PageModel['release']> }) {
  return (
    <Link to="/releases/$release" params={{ release: id }} className="flex max-w-full min-w-0 rounded-sm">
      <Badge icon={Rocket} tone={action === 'delete' ? 'warn' : 'info'}>
        {t(action === 'delete' ? 'releases.in.delete' : 'releases.in', { name })}
      </Badge>
    </Link>
  )
}
