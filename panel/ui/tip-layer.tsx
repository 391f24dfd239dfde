import { useEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'

interface Tip {
  text: string
  x: number
  y: number
  below: boolean
}

const delay = 400

/**
 * A single tooltip for all elements with `data-tip` (icon buttons), so that hundreds of them cost nothing. It repeats
 * the accessible name of the element, so it is hidden from assistive technology.
 */
export function TipLayer() {
  const [tip, setTip] = useState<Tip>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    let current: Element | undefined
    let isDragging = false

    function show(element: Element, wait: number) {
      if (element === current || isDragging) return
      hide()
      current = element
      timer.current = setTimeout(() => {
        const text = element.getAttribute('data-tip')
        if (!text || !element.isConnected) return
        const box = element.getBoundingClientRect()
        const below = box.bottom + 40 < window.innerHeight
        setTip({ text, x: box.left + box.width / 2, y: below ? box.bottom + 6 : box.top - 6, below })
      }, wait)
    }

    function hide() {
      clearTimeout(timer.current)
      current = undefined
      setTip(undefined)
    }

    const owner = (event: Event) => (event.target instanceof Element ? event.target.closest('[data-tip]') : undefined)

    function onPointerOver(event: Event) {
      const element = owner(event)
      if (element) show(element, delay)
      else if (current) hide()
    }

    function focused(event: Event) {
      const element = owner(event)
      if (element?.matches(':focus-visible')) show(element, 0)
    }

    function pressed(event: KeyboardEvent) {
      if (event.key === 'Escape') hide()
    }

    function dragged() {
      isDragging = true
      hide()
    }

    function dropped() {
      isDragging = false
    }

    document.addEventListener('dragstart', dragged)
    document.addEventListener('dragend', dropped)
    // An element that moves to another list is replaced, and its `dragend` does not arrive here.
    document.addEventListener('drop', dropped, { capture: true })
    document.addEventListener('pointerover', onPointerOver)
    document.addEventListener('focusin', focused)
    document.addEventListener('focusout', hide)
    document.addEventListener('pointerdown', hide)
    document.addEventListener('keydown', pressed)
    window.addEventListener('scroll', hide, { capture: true, passive: true })

    return () => {
      clearTimeout(timer.current)
      document.removeEventListener('dragstart', dragged)
      document.removeEventListener('dragend', dropped)
      document.removeEventListener('drop', dropped, { capture: true })
      document.removeEventListener('pointerover', onPointerOver)
      document.removeEventListener('focusin', focused)
      document.removeEventListener('focusout', hide)
      document.removeEventListener('pointerdown', hide)
      document.removeEventListener('keydown', pressed)
      window.removeEventListener('scroll', hide, { capture: true })
    }
  }, [])

  if (!tip) return null

  // Keeps the tooltip inside the window: its centre stays at least 72 px, half of a long tooltip, from the edges.
  const x = Math.min(Math.max(tip.x, 72), window.innerWidth - 72)

  // At the end of the body, because dialogs are there, too, above the app.
  return createPortal(
    <div
      aria-hidden="true"
      className="pointer-events-none fixed top-0 left-0 z-50 max-w-64 rounded-md bg-ink px-2 py-1 text-xs text-surface"
      style={{ transform: `translate(${x}px, ${tip.y}px) translate(-50%, ${tip.below ? '0' : '-100%'})` }}
    >
      {tip.text}
    </div>,
    document.body,
  )
}
