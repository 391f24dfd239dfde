import { useEffect, useRef, useState } from 'react'
import type { PreviewMessage } from '../../preview/preview.ts'

interface Connection {
  /** For the frame that shows the front end. */
  frame: React.RefObject<HTMLIFrameElement | null>
  /** Opens the front end in another window, which also gets the changes. */
  openWindow: () => void
  /** Whether the page in the frame uses `quoin/preview`. */
  isConnected: boolean
  send: (message: PreviewMessage) => void
  reload: () => void
}

/** Exchanges messages with the front end at `url`. Messages of other windows and other origins are ignored. */
export function useConnection(url: string, onField: (field: string) => void): Connection {
  const { origin } = new URL(url)
  const frame = useRef<HTMLIFrameElement>(null)
  const opened = useRef<Window>(null)
  /** Connected windows. A window that loads another page connects again. */
  const ready = useRef(new Set<MessageEventSource>())
  const [isConnected, setConnected] = useState(false)
  const receive = useRef(onField)
  useEffect(() => {
    receive.current = onField
  })

  useEffect(() => {
    const listen = ({ source, origin: from, data }: MessageEvent<PreviewMessage | null>) => {
      const isOurs = source !== null && (source === frame.current?.contentWindow || source === opened.current)
      if (from !== origin || !isOurs) return
      if (data?.quoin === 'ready') ready.current.add(source)
      if (data?.quoin === 'ready' && source === frame.current?.contentWindow) setConnected(true)
      if (data?.quoin === 'field' && typeof data.field === 'string') receive.current(data.field)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [origin])

  return {
    frame,
    isConnected,
    openWindow() {
      opened.current = open(url, 'quoin-preview')
    },
    send(message) {
      for (const target of [frame.current?.contentWindow, opened.current])
        if (target && ready.current.has(target)) target.postMessage(message, origin)
    },
    reload() {
      setConnected(false)
      if (!frame.current) return
      ready.current.delete(frame.current.contentWindow!)
      frame.current.src = url
    },
  }
}
