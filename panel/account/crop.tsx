// oxlint-disable-next-line import/no-unassigned-import -- a style sheet
import 'react-image-crop/dist/ReactCrop.css'
import { useEffect, useRef, useState } from 'react'
import { centerCrop, makeAspectCrop, type PercentCrop, ReactCrop } from 'react-image-crop'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'

/** Size of avatars in pixels; none is shown larger. */
const avatarSize = 512

interface Props {
  file: File
  busy: boolean
  onDone: (cropped: Blob) => void
  onClose: () => void
}

/** Crops an image to a square, by pointer, touch or arrow keys. */
export function CropProfileImageDialog({ file, busy, onDone, onClose }: Props) {
  const url = useObjectUrl(file)
  const image = useRef<HTMLImageElement>(null)
  const [crop, setCrop] = useState<PercentCrop>()
  const [broken, setBroken] = useState(false)

  async function done(): Promise<void> {
    if (image.current && crop) onDone(await cropImage(image.current, crop))
  }

  return (
    <Dialog
      open
      disablePointerDismissal
      title={t('account.profile.picture.crop')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="primary" busy={busy} disabled={!crop || broken} onClick={() => void done()}>
            {t('account.profile.picture.use')}
          </Button>
        </>
      }
    >
      {broken ? (
        <Notice tone="danger" live>
          {t('account.profile.picture.broken')}
        </Notice>
      ) : (
        url !== undefined && (
          <div className="flex justify-center">
            <ReactCrop
              crop={crop!}
              onChange={(_, next) => setCrop(next)}
              aspect={1}
              circularCrop
              keepSelection
              minWidth={32}
            >
              <img
                ref={image}
                src={url}
                alt=""
                className="max-h-[50dvh]"
                onError={() => setBroken(true)}
                onLoad={({ currentTarget: { width, height } }) =>
                  setCrop(centerCrop(makeAspectCrop({ unit: '%', width: 90 }, 1, width, height), width, height))
                }
              />
            </ReactCrop>
          </div>
        )
      )}
    </Dialog>
  )
}

function useObjectUrl(file: File): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const objectUrl = URL.createObjectURL(file)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [file])
  return url
}

async function cropImage(image: HTMLImageElement, { x, y, width, height }: PercentCrop): Promise<Blob> {
  const canvas = new OffscreenCanvas(avatarSize, avatarSize)
  const [across, down] = [image.naturalWidth / 100, image.naturalHeight / 100]
  const context = canvas.getContext('2d')!
  context.imageSmoothingQuality = 'high'
  context.drawImage(image, x * across, y * down, width * across, height * down, 0, 0, avatarSize, avatarSize)
  return canvas.convertToBlob({ type: 'image/png' })
}
