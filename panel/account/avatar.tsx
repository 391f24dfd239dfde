import { useMutation } from '@tanstack/react-query'
import { ImageUp, Trash2 } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { can, useSession } from '../app/session.ts'
import { t } from '../texts/texts.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { own, refreshAccount } from './queries.ts'

const CropDialog = lazy(async () => ({ default: (await import('./crop.tsx')).CropDialog }))

/** The picture of the account: chosen, cut to a square and sent. */
export function AvatarCard() {
  const { user } = useSession()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<File>()
  const upload = useMutation({
    mutationFn: async (picture: Blob) => {
      const form = new FormData()
      form.append('file', picture, 'profile.png')
      await client.users.avatar.upload(own, form)
      await refreshAccount()
    },
    onSettled: () => setChosen(undefined),
  })
  const remove = useMutation({
    mutationFn: async () => {
      await client.users.avatar.delete(own)
      await refreshAccount()
    },
  })
  const url = user.avatar?.url
  return (
    <Card title={t('account.profile.picture')}>
      <div className="flex flex-wrap items-center gap-4">
        <Avatar size="large" name={user.name || user.email} url={url} />
        <div className="flex flex-wrap gap-2">
          <input
            ref={input}
            type="file"
            accept="image/*"
            hidden
            aria-label={t('account.profile.picture')}
            onChange={event => {
              setChosen(event.target.files?.[0])
              event.target.value = '' // the same file may be chosen again
            }}
          />
          {can(user, 'files.create') && (
            <Button icon={ImageUp} onClick={() => input.current?.click()}>
              {t(url ? 'account.profile.picture.change' : 'account.profile.picture.add')}
            </Button>
          )}
          {url && can(user, 'files.delete') && (
            <Button variant="plain" icon={Trash2} busy={remove.isPending} onClick={() => remove.mutate()}>
              {t('account.profile.picture.remove')}
            </Button>
          )}
        </div>
      </div>
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
    </Card>
  )
}
