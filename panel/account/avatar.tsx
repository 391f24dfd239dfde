import { ImageUp, Trash2 } from 'lucide-react'
import { can, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { ownAccount, refreshAccount } from './queries.ts'
import { useProfileImage } from './use-profile-image.tsx'

/** The profile image of the user's own account. */
export function AvatarCard() {
  const { user } = useSession()
  const image = useProfileImage(ownAccount.id, t('account.profile.picture'), refreshAccount)
  const url = user.avatar?.url
  return (
    <Card title={t('account.profile.picture')}>
      <div className="flex flex-wrap items-center gap-4">
        <Avatar size="large" name={user.name || user.email} url={url} />
        <div className="flex flex-wrap gap-2">
          {can(user, 'files.create') && (
            <Button icon={ImageUp} onClick={image.choose}>
              {t(url ? 'account.profile.picture.change' : 'account.profile.picture.add')}
            </Button>
          )}
          {url && can(user, 'files.delete') && (
            <Button variant="plain" icon={Trash2} busy={image.isBusy} onClick={image.remove}>
              {t('account.profile.picture.remove')}
            </Button>
          )}
        </div>
      </div>
      {image.elements}
    </Card>
  )
}
