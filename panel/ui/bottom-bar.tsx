import { type ReactNode, useLayoutEffect, useRef } from 'react'

/** A bar at the bottom of the window. Toasts appear above it. */
export function BottomBar({ children }: { children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null)

  useLayoutEffect(() => {
    const { style } = document.documentElement
    const place = () => {
      const top = bar.current?.getBoundingClientRect().top ?? innerHeight
      style.setProperty('--toasts-bottom', `${Math.max(16, innerHeight - top + 8)}px`)
    }
    const observer = new ResizeObserver(place)
    observer.observe(bar.current!)
    observer.observe(document.body)
    addEventListener('scroll', place, { passive: true })
    addEventListener('resize', place)
    return () => {
      observer.disconnect()
      removeEventListener('scroll', place)
      removeEventListener('resize', place)
      style.removeProperty('--toasts-bottom')
    }
  }, [])

  return (
    <div ref={bar} className="sticky bottom-3 z-10 mt-8">
      {children}
    </div>
  )
}
