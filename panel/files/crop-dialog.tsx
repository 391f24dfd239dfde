// oxlint-disable-next-line import/no-unassigned-import -- a style sheet
import 'react-image-crop/dist/ReactCrop.css'
import { useMutation } from '@tanstack/react-query'
import { FlipHorizontal2, FlipVertical2, RotateCcw, RotateCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { centerCrop, makeAspectCrop, type PercentCrop, ReactCrop } from 'react-image-crop'
import { client } from '../app/client.ts'
import { errorText } from '../app/errors.ts'
import { account } from '../texts/en/account.ts'
import { addTexts, formatNumber, t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import { toast } from '../ui/toast.ts'
import { type FileModel, fileIdOf } from './parent.ts'
import { areaInImage, isSideways, pixelsOf, areaAfter, type Orientation, transformations } from './orientation.ts'

addTexts(account)

interface Props {
  file: FileModel
  onClose: () => void
  /** `copy` is the name of the new file, if there is one. */
  onSaved: (copy: string | undefined) => void
}

const ratios = ['1:1', '4:3', '3:2', '16:9', '3:4', '2:3', '9:16'] as const
type Ratio = 'free' | 'original' | (typeof ratios)[number]

const whole: PercentCrop = { unit: '%', x: 0, y: 0, width: 100, height: 100 }
const upright: Orientation = { flip: false, rotate: 0 }

const buttons = [
  ['rotateLeft', 'files.crop.turn.left', RotateCcw],
  ['rotateRight', 'files.crop.turn.right', RotateCw],
  // The icons are named by their axis.
  ['flipHorizontally', 'files.crop.turn.across', FlipVertical2],
  ['flipVertically', 'files.crop.turn.down', FlipHorizontal2],
] as const

const handle = (place: string) => t('files.crop.handle', { place })
const corner = (down: 'top' | 'bottom', across: 'left' | 'right') =>
  handle(`${t(`files.crop.${down}`)}, ${t(`files.crop.${across}`)}`)

/** Crops, rotates and mirrors an image, by pointer, touch or keyboard. The server does it with the original. */
export function CropImageDialog({ file, onClose, onSaved }: Props) {
  const size = file.dimensions!
  const image = useImage(file.thumbs?.['huge'] ?? file.url)
  const [orientation, setOrientation] = useState(upright)
  const [crop, setCrop] = useState<PercentCrop>(whole)
  const [ratio, setRatio] = useState<Ratio>('free')
  const shownSize = sizeIn(orientation)
  const area = areaInImage(crop, orientation)
  const pixels = pixelsOf(area, size)
  const { width, height } = pixels ?? size
  const result = isSideways(orientation) ? { width: height, height: width } : { width, height }
  const isChanged = pixels !== undefined || orientation.flip || orientation.rotate !== 0

  const save = useMutation({
    mutationFn: (copy: boolean) =>
      client.site.library.edit(
        { file: fileIdOf(file) },
        {
          ...(pixels && { crop: pixels }),
          ...(orientation.flip && { flip: true }),
          ...(orientation.rotate !== 0 && { rotate: orientation.rotate }),
          ...(copy && { copy }),
          revision: file.revision,
        },
      ),
    meta: { handlesError: true },
    onSuccess: ({ id }, copy) => {
      const name = id.slice(id.lastIndexOf('/') + 1)
      toast({ tone: 'good', title: t(copy ? 'files.crop.copied' : 'files.crop.saved', { name }) })
      onSaved(copy ? name : undefined)
    },
  })

  function sizeIn(shown: Orientation) {
    return isSideways(shown) ? { width: size.height, height: size.width } : size
  }

  /** The largest part with this aspect ratio, in the middle. */
  function chooseRatio(next: Ratio, shown: Orientation) {
    setRatio(next)
    if (next === 'free') return
    const { width: across, height: down } = sizeIn(shown)
    const largest = makeAspectCrop({ unit: '%', width: 100 }, aspectOf(next, shown)!, across, down)
    setCrop(centerCrop(largest, across, down))
  }

  function aspectOf(name: Ratio, shown: Orientation): number | undefined {
    if (name === 'free') return undefined
    const [across, down] = name === 'original' ? Object.values(sizeOnly(sizeIn(shown))) : name.split(':').map(Number)
    return across! / down!
  }

  function show(next: Orientation) {
    setOrientation(next)
    if (ratio !== 'free' && isSideways(next) !== isSideways(orientation)) chooseRatio(ratio, next)
    else setCrop({ unit: '%', ...areaAfter(crop, orientation, next) })
  }

  function reset() {
    setOrientation(upright)
    setCrop(whole)
    setRatio('free')
  }

  return (
    <Dialog
      open
      size="large"
      disablePointerDismissal
      title={t('files.crop')}
      onClose={onClose}
      footer={
        <>
          <Button variant="quiet" className="me-auto" disabled={!isChanged || save.isPending} onClick={reset}>
            {t('files.crop.reset')}
          </Button>
          <Button disabled={!isChanged || save.isPending} onClick={() => save.mutate(true)}>
            {t('files.crop.copy')}
          </Button>
          <Button variant="primary" busy={save.isPending} disabled={!isChanged} onClick={() => save.mutate(false)}>
            {t('files.crop.save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {(save.error || image === 'broken') && (
          <Notice tone="danger" live>
            {save.error ? errorText(save.error) : t('account.profile.picture.broken')}
          </Notice>
        )}
        <div className="flex flex-wrap items-end gap-x-5 gap-y-3">
          <div role="group" aria-label={t('files.crop.turn')} className="flex gap-1">
            {buttons.map(([name, text, icon]) => (
              <IconButton
                key={name}
                icon={icon}
                label={t(text)}
                onClick={() => show(transformations[name](orientation))}
              />
            ))}
          </div>
          <Field label={t('files.crop.ratio')} className="w-40">
            <Select<Ratio>
              value={ratio}
              onChange={next => chooseRatio(next ?? 'free', orientation)}
              options={[
                { value: 'free', text: t('files.crop.free') },
                { value: 'original', text: t('files.crop.original') },
                ...ratios.map(value => ({ value, text: value.replace(':', ' : ') })),
              ]}
            />
          </Field>
          <p role="status" className="ms-auto py-1.5 text-sm text-muted">
            <bdi dir="ltr">
              {formatNumber(result.width)} × {formatNumber(result.height)}
            </bdi>
          </p>
        </div>
        {/* Sides are those of the image, in every language. */}
        <div dir="ltr" className="flex items-center justify-center rounded-md bg-sunken p-4">
          {typeof image === 'object' && (
            <ReactCrop
              className="[--rc-border-color:#222] [--rc-drag-handle-bg-colour:#fff] motion-reduce:[&_.ReactCrop__crop-selection]:animate-none!"
              crop={crop}
              onChange={(_, next) => setCrop(next)}
              aspect={aspectOf(ratio, orientation)!}
              keepSelection
              ruleOfThirds
              minWidth={10}
              minHeight={10}
              disabled={save.isPending}
              ariaLabels={{
                cropArea: t('files.crop.area'),
                nwDragHandle: corner('top', 'left'),
                nDragHandle: handle(t('files.crop.top')),
                neDragHandle: corner('top', 'right'),
                eDragHandle: handle(t('files.crop.right')),
                seDragHandle: corner('bottom', 'right'),
                sDragHandle: handle(t('files.crop.bottom')),
                swDragHandle: corner('bottom', 'left'),
                wDragHandle: handle(t('files.crop.left')),
              }}
            >
              <OrientedImage image={image} orientation={orientation} size={shownSize} />
            </ReactCrop>
          )}
        </div>
      </div>
    </Dialog>
  )
}

const sizeOnly = ({ width, height }: { width: number; height: number }) => ({ width, height })

/** Undefined while it loads. */
function useImage(url: string): HTMLImageElement | 'broken' | undefined {
  const [image, setImage] = useState<HTMLImageElement | 'broken'>()
  useEffect(() => {
    const loading = new Image()
    loading.addEventListener('load', () => setImage(loading))
    loading.addEventListener('error', () => setImage('broken'))
    loading.src = url
  }, [url])
  return image
}

/** The image as it will be. Drawn, so that the frame and its handles lie over it as it is seen. */
function OrientedImage({
  image,
  orientation,
  size,
}: {
  image: HTMLImageElement
  orientation: Orientation
  size: { width: number; height: number }
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { naturalWidth, naturalHeight } = image
  const [width, height] = isSideways(orientation) ? [naturalHeight, naturalWidth] : [naturalWidth, naturalHeight]
  useEffect(() => {
    const context = canvas.current!.getContext('2d')!
    context.setTransform(1, 0, 0, 1, width / 2, height / 2)
    context.clearRect(-width, -height, 2 * width, 2 * height)
    context.rotate((orientation.rotate * Math.PI) / 180)
    context.scale(orientation.flip ? -1 : 1, 1)
    context.drawImage(image, -naturalWidth / 2, -naturalHeight / 2)
  }, [image, orientation, width, height, naturalWidth, naturalHeight])
  return (
    <canvas
      ref={canvas}
      width={width}
      height={height}
      className="block max-w-full touch-none"
      // Small images are enlarged, so that the handles can be grasped.
      style={{ width: `min(40rem, 50dvh * ${size.width / size.height})`, aspectRatio: `${width} / ${height}` }}
    />
  )
}
