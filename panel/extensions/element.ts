import { base } from '../app/base.ts'
import type { PanelPart } from './parts.ts'

type ElementClass = new () => HTMLElement

const folder = `${location.origin}${base}/panel/extensions/`

/** Modules that failed are imported again under another address: browsers remember the failure of an address. */
const attempts = new Map<string, number>()
const loaded = new Map<string, Promise<ElementClass>>()

/** The class that the module of a part exports, defined as an element. */
export async function loadElement(part: PanelPart): Promise<ElementClass> {
  const known = loaded.get(part.path)
  if (known) return known
  const loading = load(part)
  loaded.set(part.path, loading)
  loading.catch(() => {
    loaded.delete(part.path)
    attempts.set(part.path, (attempts.get(part.path) ?? 0) + 1)
  })
  return loading
}

async function load({ extension, kind, name, path }: PanelPart): Promise<ElementClass> {
  const attempt = attempts.get(path)
  const address = folder + path + (attempt === undefined ? '' : `?again=${attempt}`)
  const { default: found } = (await import(/* @vite-ignore */ address)) as { default?: unknown }
  if (typeof found !== 'function' || !(found.prototype instanceof HTMLElement))
    throw new TypeError('The module must export a class of an element by default.')
  const element = found as ElementClass
  if (customElements.getName(element) === null) {
    const again = attempt === undefined ? '' : `-${attempt}`
    customElements.define(`quoin-${extension}-${kind}-${name}${again}`.toLowerCase(), element)
  }
  return element
}

/** Whether an error that the browser reports comes from the module of the part: of an event handler or a promise. */
export const isErrorOf = ({ path }: PanelPart, error: unknown): boolean =>
  !isCatching && error instanceof Error && (error.stack ?? '').includes(folder + path)

/** Errors that are reported meanwhile belong to one element; others of the same module have not failed. */
let isCatching = false

/**
 * Runs work in which the browser reports errors of the element instead of throwing them, as those of
 * `connectedCallback`.
 */
export function catchReported(work: () => void): void {
  const reported: unknown[] = []
  const listen = (event: ErrorEvent) => {
    reported.push(event.error)
  }
  window.addEventListener('error', listen)
  isCatching = true
  try {
    work()
  } finally {
    isCatching = false
    window.removeEventListener('error', listen)
  }
  if (reported.length > 0) throw reported[0]
}
