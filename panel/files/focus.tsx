import { Crosshair } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'

export interface FocusPoint {
  x: number
  y: number
}

const centre: FocusPoint = { x: 50, y: 50 }

/** Parses a stored focus point such as `30% 60%`; the centre if it is invalid. */
export function readFocus(text: unknown): FocusPoint {
  const [, x, y] =
    /^\s*(\d{1,3}(?:\.\d+)?)%[\s,]+(\d{1,3}(?:\.\d+)?)%\s*$/.exec(typeof text === 'string' ? text : '') ?? []
  return x === undefined ? centre : { x: within(Number(x)), y: within(Number(y)) }
}

export const writeFocus = ({ x, y }: FocusPoint): string => `${x}% ${y}%`

const within = (percent: number) => Math.min(Math.max(Math.round(percent), 0), 100)

const steps: Readonly<Record<string, FocusPoint>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

interface Props {
  url: string
  /** In pixels, if known. Reserves space until the image is loaded. */
  size?: { width: number; height: number } | null | undefined
  alt: string
  value: FocusPoint
  /** Undefined if the focus point is read-only. */
  onChange?: ((value: FocusPoint) => void) | undefined
}

/** Sets the focus point, which stays visible when the image is cropped, by click, drag or arrow keys. */
export function FocusPicker({ url, size, alt, value, onChange }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const help = useId()
  const [hasArrived, setArrived] = useState(false)
  const [point, setPoint] = useSettled(value, onChange)

  const onPointer = (event: PointerEvent) => {
    const box = frame.current!.getBoundingClientRect()
    setPoint({
      x: within(((event.clientX - box.left) / box.width) * 100),
      y: within(((event.clientY - box.top) / box.height) * 100),
    })
  }

  const pressed = (event: KeyboardEvent) => {
    const step = steps[event.key]
    if (!step) return
    event.preventDefault()
    const by = event.shiftKey ? 10 : 1
    setPoint({ x: within(point.x + step.x * by), y: within(point.y + step.y * by) })
  }

  const where = t('files.focus.at', { x: point.x, y: point.y })

  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-center justify-center rounded-md bg-sunken">
        <div
          ref={frame}
          className={onChange ? 'relative cursor-crosshair touch-none' : 'relative'}
          style={hasArrived ? undefined : roomFor(size)}
          onPointerDown={event => {
            if (!onChange || event.button !== 0) return
            event.currentTarget.setPointerCapture(event.pointerId)
            onPointer(event)
          }}
          onPointerMove={event => {
            if (onChange && event.currentTarget.hasPointerCapture(event.pointerId)) onPointer(event)
          }}
        >
          <img
            src={url}
            alt={alt}
            draggable={false}
            onLoad={() => setArrived(true)}
            className="block max-h-[26rem] max-w-full select-none"
          />
          {onChange && (
            <button
              type="button"
              aria-label={`${t('files.focus')}: ${where}`}
              aria-describedby={help}
              onKeyDown={pressed}
              className="absolute size-8 -translate-1/2 rounded-full border-2 border-white bg-accent/40 shadow-[0_0_0_1.5px_#000a] outline-offset-4"
              // Positioned from the left in right-to-left languages, too: images are not mirrored.
              style={{ left: `${point.x}%`, top: `${point.y}%` }}
            >
              <span
                aria-hidden="true"
                className="absolute inset-0 m-auto size-1.5 rounded-full bg-white shadow-[0_0_0_1px_#000a]"
              />
            </button>
          )}
        </div>
      </div>
      {onChange && (
        <>
          <p id={help} className="text-sm text-muted">
            {t('files.focus.help')}
          </p>
          <div className="flex flex-wrap items-end gap-x-4 gap-y-2">
            <Crops url={url} point={point} />
            <div className="ms-auto flex items-center gap-3">
              <p role="status" className="text-sm text-muted tabular-nums">
                {where}
              </p>
              <Button
                size="small"
                className="shrink-0"
                icon={Crosshair}
                disabled={point.x === centre.x && point.y === centre.y}
                onClick={() => setPoint(centre)}
              >
                {t('files.focus.centre')}
              </Button>
            </div>
          </div>
        </>
      )}
    </div>
  )
}

/** Reserves the space that the image will take. */
function roomFor(size: Props['size']): CSSProperties | undefined {
  if (!size || size.width === 0 || size.height === 0) return undefined
  const ratio = size.width / size.height
  return { aspectRatio: ratio, width: `min(100%, ${26 * ratio}rem, ${size.width}px)` }
}

const forms = [
  ['1 / 1', 'aspect-square'],
  ['16 / 9', 'aspect-video'],
  ['3 / 4', 'aspect-3/4'],
] as const

/** Previews of the image in common aspect ratios. */
function Crops({ url, point }: { url: string; point: FocusPoint }) {
  return (
    <div aria-hidden="true" className="flex items-end gap-3">
      {forms.map(([name, aspect]) => (
        <figure key={name} className="flex flex-col gap-1">
          <div className={`h-16 overflow-hidden sm:h-20 rounded-sm bg-sunken ${aspect}`}>
            <img src={url} alt="" className="size-full object-cover" style={{ objectPosition: writeFocus(point) }} />
          </div>
          <figcaption className="text-xs text-muted">
            <bdi dir="ltr">{name}</bdi>
          </figcaption>
        </figure>
      ))}
    </div>
  )
}

/** The display follows at once; `onSettled` is called after 400 ms without a change. */
function useSettled(value: FocusPoint, onSettled: ((value: FocusPoint) => void) | undefined) {
  const [point, setPoint] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const { x, y } = value
  useEffect(() => {
    if (timer.current === undefined) setPoint({ x, y })
  }, [x, y])

  const move = (next: FocusPoint) => {
    setPoint(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      timer.current = undefined
      onSettled?.(next)
    }, 400)
  }
  return [point, move] as const
}
