import { useQueryClient } from '@tanstack/react-query'
import { Camera, ImageUp, Trash2 } from 'lucide-react'
import { useProfileImage } from '../account/use-profile-image.tsx'
import { can, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { userChanged, type UserModel } from './model.ts'

/** The profile image of an account, with actions to change it. */
export function ProfileImage({ user }: { user: UserModel }) {
  const { user: caller } = useSession()
  const queryClient = useQueryClient()
  const image = useProfileImage(user.id, t('users.picture'), () => userChanged(queryClient, user.id))
  const canUpload = user.options['update'] === true && can(caller, 'files.create')
  const canRemove = user.options['update'] === true && can(caller, 'files.delete') && user.avatar !== null
  return (
    <div className="relative">
      <Avatar size="large" name={user.username} url={user.avatar?.url} />
      {(canUpload || canRemove) && (
        <div className="absolute -end-1 -bottom-1 rounded-full bg-canvas">
          <Menu
            align="start"
            trigger={
              <IconButton
                variant="quiet"
                className="!rounded-full"
                icon={Camera}
                busy={image.isBusy}
                label={t('users.picture')}
              />
            }
            items={[
              canUpload && {
                text: t(user.avatar ? 'users.picture.change' : 'users.picture.add'),
                icon: ImageUp,
                onSelect: image.choose,
              },
              canRemove && {
                text: t('users.picture.remove'),
                icon: Trash2,
                danger: true,
                onSelect: image.remove,
              },
            ]}
          />
        </div>
      )}
      {image.elements}
    </div>
  )
}
