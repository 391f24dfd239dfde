import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Camera, ImageUp, Trash2 } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { can, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { userChanged, type UserModel } from './model.ts'

const CropDialog = lazy(async () => ({ default: (await import('../account/crop.tsx')).CropDialog }))

/** The picture of a person, with what can be done about it. */
export function Picture({ user }: { user: UserModel }) {
  const { user: caller } = useSession()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<File>()
  const queries = useQueryClient()
  const onSuccess = () => userChanged(queries, user.id)
  const upload = useMutation({
    mutationFn: (picture: Blob) => {
      const form = new FormData()
      form.set('file', picture, 'profile.png')
      return client.users.avatar.upload({ id: user.id }, form)
    },
    onSuccess,
    onSettled: () => setChosen(undefined),
  })
  const remove = useMutation({ mutationFn: () => client.users.avatar.delete({ id: user.id }), onSuccess })
  const mayUpload = user.options['update'] === true && can(caller, 'files.create')
  const mayRemove = user.options['update'] === true && can(caller, 'files.delete') && user.avatar !== null
  return (
    <div className="relative">
      <Avatar size="large" name={user.username} url={user.avatar?.url} />
      {(mayUpload || mayRemove) && (
        <div className="absolute -end-1 -bottom-1 rounded-full bg-canvas">
          <Menu
            align="start"
            trigger={
              <IconButton
                variant="quiet"
                className="!rounded-full"
                icon={Camera}
                busy={upload.isPending || remove.isPending}
                label={t('users.picture')}
              />
            }
            items={[
              mayUpload && {
                text: t(user.avatar ? 'users.picture.change' : 'users.picture.add'),
                icon: ImageUp,
                onSelect: () => input.current?.click(),
              },
              mayRemove && {
                text: t('users.picture.remove'),
                icon: Trash2,
                danger: true,
                onSelect: () => remove.mutate(),
              },
            ]}
          />
        </div>
      )}
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t('users.picture')}
        accept="image/jpeg,image/png,image/webp,image/gif"
        onChange={event => {
          setChosen(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {chosen && (
        <Suspense>
          <CropDialog
            file={chosen}
            busy={upload.isPending}
            onDone={picture => upload.mutate(picture)}
            onClose={() => setChosen(undefined)}
          />
        </Suspense>
      )}
    </div>
  )
}
