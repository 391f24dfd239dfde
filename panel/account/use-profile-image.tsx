import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { client } from '../app/client.ts'

const CropProfileImageDialog = lazy(async () => ({ default: (await import('./crop.tsx')).CropProfileImageDialog }))

/**
 * Chooses, crops and uploads the profile image of an account. Render `elements` anywhere: they are the file input and the crop
 * dialog.
 */
export function useProfileImage(id: string, label: string, onChanged: () => Promise<unknown>) {
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<File>()
  const upload = useMutation({
    mutationFn: async (image: Blob) => {
      const form = new FormData()
      form.append('file', image, 'profile.png')
      await client.users.avatar.upload({ id }, form)
      await onChanged()
    },
    onSettled: () => setChosen(undefined),
  })
  const remove = useMutation({
    mutationFn: async () => {
      await client.users.avatar.delete({ id })
      await onChanged()
    },
  })
  const elements = (
    <>
      <input
        ref={input}
        type="file"
        accept="image/jpeg,image/png,image/webp,image/gif"
        hidden
        aria-label={label}
        onChange={event => {
          setChosen(event.target.files?.[0])
          event.target.value = '' // otherwise choosing the same file again fires no event
        }}
      />
      {chosen && (
        <Suspense>
          <CropProfileImageDialog
            file={chosen}
            busy={upload.isPending}
            onDone={image => upload.mutate(image)}
            onClose={() => setChosen(undefined)}
          />
        </Suspense>
      )}
    </>
  )
  return {
    choose: () => input.current?.click(),
    remove: () => remove.mutate(),
    isBusy: upload.isPending || remove.isPending,
    elements,
  }
}
