import { type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { extensionClient } from './client.ts'
import { catchReported, isErrorOf, loadElement } from './element.ts'
import type { PanelPart } from './parts.ts'

type Properties = Readonly<Record<string, unknown>>

interface Props {
  part: PanelPart
  /** Set as properties of the element. */
  properties: Properties
  /** Attributes of the element: its id, and what describes it. */
  attributes?: Readonly<Record<string, string | undefined>> | undefined
  /** Called with the `value` of the element after its `change` event. */
  onChange?: ((value: unknown) => void) | undefined
  /** Surrounds the element, unless it has failed. */
  frame?: ((element: ReactNode) => ReactNode) | undefined
  /** What is shown below the message if the element fails. */
  fallback?: ReactNode
  /** Whether the message says that the stored value is kept. */
  hasValue?: boolean | undefined
}

/** Shows the custom element of an extension. If its code fails, a message takes its place, and the value stays. */
export function Part({ part, properties, attributes, onChange, frame, fallback, hasValue = false }: Props) {
  const place = useRef<HTMLSpanElement>(null)
  const rendered = useRef<{ element: HTMLElement; set: Record<string, unknown> }>(undefined)
  const latest = useRef({ properties, attributes, onChange })
  const [state, setState] = useState<'loading' | 'shown' | 'failed'>('loading')
  const [attempt, setAttempt] = useState(0)

  useLayoutEffect(() => {
    latest.current = { properties, attributes, onChange }
  })

  const fail = useCallback(
    (error: unknown) => {
      console.error(`The part "${part.name}" of the extension "${part.extension}" has failed.`, error)
      rendered.current?.element.remove()
      rendered.current = undefined
      setState('failed')
    },
    [part],
  )

  useEffect(() => {
    let isOpen = true
    const later = (event: ErrorEvent | PromiseRejectionEvent) => {
      const error: unknown = 'reason' in event ? event.reason : event.error
      if (rendered.current && isErrorOf(part, error)) fail(error)
    }

    async function show() {
      const Element = await loadElement(part)
      if (!isOpen || !place.current) return
      const element = new Element()
      const set: Record<string, unknown> = {}
      element.addEventListener('change', event => {
        if (event.target !== element) return
        try {
          const value: unknown = (element as { value?: unknown }).value
          const plain: unknown = value === undefined ? '' : JSON.parse(JSON.stringify(value))
          set['value'] = plain
          latest.current.onChange?.(plain)
        } catch (error) {
          fail(error)
        }
      })
      assign(element, set, { client: extensionClient, ...latest.current.properties })
      describe(element, latest.current.attributes)
      catchReported(() => place.current!.replaceChildren(element))
      rendered.current = { element, set }
      setState('shown')
    }

    window.addEventListener('error', later)
    window.addEventListener('unhandledrejection', later)
    show().catch((error: unknown) => isOpen && fail(error))
    return () => {
      isOpen = false
      window.removeEventListener('error', later)
      window.removeEventListener('unhandledrejection', later)
      rendered.current?.element.remove()
      rendered.current = undefined
    }
  }, [part, attempt, fail])

  // After every render: `assign` only sets what has changed.
  useEffect(() => {
    const current = rendered.current
    if (!current) return
    try {
      catchReported(() => {
        assign(current.element, current.set, properties)
        describe(current.element, attributes)
      })
    } catch (error) {
      fail(error)
    }
  })

  if (state === 'failed')
    return (
      <div className="flex flex-col gap-2">
        <Notice
          tone="danger"
          live
          title={t('extension.failed', { part: part.name, extension: part.extension })}
          action={
            <Button
              size="small"
              onClick={() => {
                setState('loading')
                setAttempt(attempt + 1)
              }}
            >
              {t('app.failed.action')}
            </Button>
          }
        >
          {hasValue && t('extension.kept')}
        </Notice>
        {fallback}
      </div>
    )
  const element = <span ref={place} className="extension-part block min-w-0" />
  return (
    <>
      {state === 'loading' && <Skeleton className="h-8 w-full" />}
      {frame ? frame(element) : element}
    </>
  )
}

/** Sets the properties that differ from those set before, so that an element is not updated for nothing. */
function assign(element: HTMLElement, set: Record<string, unknown>, properties: Properties): void {
  for (const [name, value] of Object.entries(properties)) {
    if (name in set && isSame(set[name], value)) continue
    set[name] = value
    Object.assign(element, { [name]: value })
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) ||
  (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))

function describe(element: HTMLElement, attributes: Props['attributes'] = {}): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined) element.removeAttribute(name)
    else if (element.getAttribute(name) !== value) element.setAttribute(name, value)
  }
}
