import { useEffect, useRef, useState } from 'react'
import type { PreviewMessage } from '../../preview/preview.ts'
import { createStore } from '../app/store.ts'

/** The front end in a window of its own. It stays connected when the preview is closed or shows another page. */
export const previewWindow = createStore<Window | null>(null)

/** Windows whose page uses `quoin/preview`. One that loads another page connects again. */
const connected = new WeakSet<MessageEventSource>()

/** How often is checked whether the window was closed. */
const closedCheckMs = 1000

interface Connection {
  /** For the frame that shows the front end. */
  frame: React.RefObject<HTMLIFrameElement | null>
  /** Opens the front end in another window, which also gets the changes. */
  openWindow: () => void
  /** Whether the page in the frame uses `quoin/preview`. */
  isConnected: boolean
  /** Sends to the frame and the window, as far as they are connected. */
  send: (message: PreviewMessage) => void
  reload: () => void
}

/** Exchanges messages with the front end at `url`. Messages of other windows and other origins are ignored. */
export function useConnection(url: string, onField: (field: string) => void): Connection {
  const { origin } = new URL(url)
  const frame = useRef<HTMLIFrameElement>(null)
  const [isConnected, setConnected] = useState(false)
  const receive = useRef(onField)
  useEffect(() => {
    receive.current = onField
  })

  useEffect(() => {
    const listen = ({ source, origin: from, data }: MessageEvent<PreviewMessage | null>) => {
      const isFramed = source !== null && source === frame.current?.contentWindow
      if (from !== origin || source === null || (!isFramed && source !== previewWindow.get())) return
      if (data?.quoin === 'ready') connected.add(source)
      if (data?.quoin === 'ready' && isFramed) setConnected(true)
      if (data?.quoin === 'field' && typeof data.field === 'string') receive.current(data.field)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [origin])

  // No event tells that a window was closed.
  useEffect(() => {
    const timer = setInterval(() => previewWindow.get()?.closed && previewWindow.set(null), closedCheckMs)
    return () => clearInterval(timer)
  }, [])

  return {
    frame,
    isConnected,
    openWindow() {
      previewWindow.set(open(url, 'quoin-preview'))
    },
    send(message) {
      for (const target of [frame.current?.contentWindow, previewWindow.get()])
        if (target && connected.has(target)) target.postMessage(message, origin)
    },
    reload() {
      setConnected(false)
      if (!frame.current) return
      connected.delete(frame.current.contentWindow!)
      frame.current.src = url
    },
  }
}
