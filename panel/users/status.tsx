import { Ban, MailCheck } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import type { UserBrief } from './model.ts'

export function StatusBadge({ status }: Pick<UserBrief, 'status'>) {
  if (status === 'active') return <Badge tone="good">{t('users.status.active')}</Badge>
  const isDisabled = status === 'disabled'
  return (
    <Badge tone={isDisabled ? 'danger' : 'info'} icon={isDisabled ? Ban : MailCheck}>
      {t(isDisabled ? 'users.status.disabled' : 'users.status.invited')}
    </Badge>
  )
}
