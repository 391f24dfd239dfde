import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** A bar at the bottom of the window. Toasts appear above it. */
export function BottomBar({ children }: { children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const { style } = document.documentElement
    const placeToasts = () => {
      const top = bar.current?.getBoundingClientRect().top ?? innerHeight
      style.setProperty('--toasts-bottom', `${Math.max(16, innerHeight - top + 8)}px`)
    }
    const observer = new ResizeObserver(placeToasts)
    observer.observe(bar.current!)
    observer.observe(document.body)
    addEventListener('scroll', placeToasts, { passive: true })
    addEventListener('resize', placeToasts)
    return () => {
      observer.disconnect()
      removeEventListener('scroll', placeToasts)
      removeEventListener('resize', placeToasts)
      style.removeProperty('--toasts-bottom')
    }
  }, [])

  return (
    <div ref={bar} className="sticky bottom-3 z-10 mt-8">
      {children}
    </div>
  )
}
