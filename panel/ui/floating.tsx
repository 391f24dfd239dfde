import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { cx } from './cx.ts'

interface Props {
  /** The rectangle to float next to, in viewport coordinates. */
  anchorRect: () => DOMRect
  /** An element in the same dialog or page, above which it is layered. */
  near: Element
  children: ReactNode
  className?: string | undefined
}

/** Distances to the anchor (`gap`) and to the edges of the window (`margin`), in pixels. */
const gap = 4
const margin = 8
const maxHeight = 352

/** A surface next to a position in a text. It never takes the focus, so that typing continues. */
export function Floating({ anchorRect, near, children, className }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const latest = useRef(anchorRect)

  useLayoutEffect(() => {
    latest.current = anchorRect
    if (frame.current) place(frame.current, anchorRect())
  })

  useEffect(() => {
    const again = () => frame.current && place(frame.current, latest.current())
    window.addEventListener('scroll', again, { capture: true, passive: true })
    window.addEventListener('resize', again)
    return () => {
      window.removeEventListener('scroll', again, { capture: true })
      window.removeEventListener('resize', again)
    }
  }, [])

  return createPortal(
    <div
      ref={frame}
      onPointerDown={event => event.preventDefault()}
      className={cx(
        'popup fixed top-0 left-0 z-50 max-w-[calc(100vw-1rem)] overflow-y-auto overscroll-contain',
        className,
      )}
    >
      {children}
    </div>,
    near.closest('[role=dialog], main') ?? document.body,
  )
}

/** Below the anchor, or above if there is more space; aligned by the direction of writing. */
function place(element: HTMLElement, { top, bottom, left, right }: DOMRect) {
  const { clientWidth, clientHeight } = document.documentElement
  const [above, below] = [top - gap - margin, clientHeight - bottom - gap - margin]
  const isBelow = below >= Math.min(element.scrollHeight, maxHeight) || below >= above
  element.style.maxHeight = `${Math.max(0, Math.min(maxHeight, isBelow ? below : above))}px`
  const { offsetWidth: width, offsetHeight: height } = element
  const start = getComputedStyle(element).direction === 'rtl' ? right - width : left
  element.style.left = `${Math.max(margin, Math.min(start, clientWidth - margin - width))}px`
  element.style.top = `${isBelow ? bottom + gap : top - gap - height}px`
}
