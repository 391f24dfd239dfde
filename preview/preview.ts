/** `quoin/preview`: for front ends that the panel shows beside its form. */

/** What the panel and the front end send each other. */
export type PreviewMessage =
  /** To the panel: the front end listens. */
  | { quoin: 'ready' }
  /** To the panel: the user clicked the output of this field. To the front end: the user edits this field. */
  | { quoin: 'field'; field: string }
  /** To the front end: content has changed. */
  | { quoin: 'changed' }

export interface PreviewOptions {
  /** The address of the CMS, such as `https://cms.example.org`. Messages of other origins are ignored. */
  panel: string
  /** Shows the content again after a change. */
  refresh: () => unknown
}

/** Where `editable` notes the field that an element shows. */
const attribute = 'data-quoin'

/**
 * Connects a page of the front end to the panel that shows it, in a frame or in a window that the panel has opened.
 * Anywhere else it does nothing. Returns a function that disconnects it.
 */
export function preview({ panel, refresh }: PreviewOptions): () => void {
  const { origin } = new URL(panel)
  const host = (parent === window ? opener : parent) as Window | null
  if (!host) return () => {}
  const send = (message: PreviewMessage) => host.postMessage(message, origin)
  const listening = new AbortController()
  const { signal } = listening

  let refreshing: Promise<void> | undefined
  let isStale = false
  /** One at a time: the last change is shown in any case. */
  async function refreshAll(): Promise<void> {
    do {
      isStale = false
      await refresh()
    } while (isStale)
  }

  addEventListener(
    'message',
    ({ source, origin: from, data }: MessageEvent<PreviewMessage | null>) => {
      if (source !== host || from !== origin) return
      if (data?.quoin === 'field') show(data.field)
      if (data?.quoin !== 'changed') return
      isStale = true
      refreshing ??= refreshAll().finally(() => (refreshing = undefined))
    },
    { signal },
  )
  addEventListener(
    'click',
    event => {
      // With a modifier key, links work as they do for visitors.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return
      const field = (event.target as Element | null)?.closest?.(`[${attribute}]`)?.getAttribute(attribute)
      if (!field) return
      event.preventDefault()
      send({ quoin: 'field', field })
    },
    { signal, capture: true },
  )
  send({ quoin: 'ready' })
  return () => listening.abort()
}

/** Scrolls to what shows the field, or to what shows the row or block around it. */
function show(field: string): void {
  for (let path = field; path.includes('#'); path = path.replace(/[/#][^/#]*$/, '')) {
    const element = document.querySelector(`[${attribute}="${CSS.escape(path)}"]`)
    if (!element) continue
    element.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
    element.animate({ outline: ['2px solid currentColor', '2px solid transparent'] }, 1200)
    return
  }
}

/**
 * Attributes for the element that shows a field: in a preview, a click on it focuses the field in the panel. Without a
 * preview there are none. `path` leads to the field: its name, then ids of blocks or numbers of rows and their fields.
 */
export function editable(
  model: { editable?: string | null },
  ...path: readonly (string | number)[]
): { [attribute]?: string } {
  return model.editable ? { [attribute]: `${model.editable}#${path.join('/')}` } : {}
}
