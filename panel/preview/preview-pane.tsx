import { useQuery } from '@tanstack/react-query'
import { ExternalLink, Monitor, RotateCw, Smartphone, Tablet, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { ErrorScreen } from '../app/shell/states.tsx'
import type { Draft } from '../editor/draft-state.ts'
import { fieldAt } from '../editor/focus-field.ts'
import { t } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Toggles } from '../ui/toggles.tsx'
import { useConnection } from './connection.ts'
import type { PreviewSource } from './source.ts'

interface Props {
  source: PreviewSource
  title: string
  draft: Draft
  /** Called with the field (`page://…#text`) whose text was clicked in the preview. */
  onField: (field: string) => void
  /** False while the front end is only shown in a window of its own. */
  isShown: boolean
  onClose: () => void
}

/** A pass is valid for eight hours; a new one takes its place in time. In ms. */
const passLifetime = 4 * 60 * 60_000

/** The front end beside the form, with unpublished changes. */
export function PreviewPane({ source, isShown, ...props }: Props) {
  const { data, error } = useQuery({
    queryKey: ['preview', source.owner, source.language],
    queryFn: source.create,
    staleTime: passLifetime,
    refetchInterval: passLifetime,
    refetchIntervalInBackground: true,
  })
  if (!data) return !isShown ? null : error ? <ErrorScreen error={error} /> : <Skeleton className="h-96 w-full" />
  const Shown = isShown ? Pane : WindowOnly
  return <Shown key={data.url} url={data.url} source={source} {...props} />
}

const widths = { phone: '390px', tablet: '820px', desktop: '100%' }
type Width = keyof typeof widths

/** After this time without a message of the front end, in ms, the panel requests the frame check. */
const loadTimeoutMs = 5000

type PaneProps = Omit<Props, 'isShown'> & { url: string }

/** Stays in touch with the window while there is no frame. */
function WindowOnly({ url, source, draft, onField }: PaneProps) {
  const { send } = useConnection(url, onField)
  useMessages({ source, draft, send })
  return null
}

function Pane({ url, source, title, draft, onField, onClose }: PaneProps) {
  const { frame, isConnected, openWindow, send, reload } = useConnection(url, onField)
  useMessages({ source, draft, send, onChanged: () => !isConnected && reload() })
  const [width, setWidth] = useState<Width>('desktop')
  const isLate = useTimedOut(isConnected)
  const { data: check } = useQuery({
    queryKey: ['preview-check', source.owner, source.language],
    queryFn: source.check,
    enabled: isLate,
    refetchOnWindowFocus: false,
  })

  return (
    <section aria-label={t('preview.title')} className="flex h-[calc(100dvh-9rem)] flex-col gap-2 lg:sticky lg:top-18">
      <div className="flex items-center justify-between gap-2">
        <Toggles<Width>
          aria-label={t('preview.width')}
          value={width}
          onChange={next => setWidth(next ?? 'desktop')}
          labels={false}
          grow={false}
          options={[
            { value: 'phone', text: t('preview.width.phone'), icon: Smartphone },
            { value: 'tablet', text: t('preview.width.tablet'), icon: Tablet },
            { value: 'desktop', text: t('preview.width.desktop'), icon: Monitor },
          ]}
        />
        <div className="flex gap-1">
          <IconButton icon={RotateCw} label={t('preview.reload')} onClick={reload} />
          <IconButton icon={ExternalLink} label={t('preview.window')} onClick={openWindow} />
          <IconButton icon={X} label={t('preview.close')} onClick={onClose} />
        </div>
      </div>
      {!isConnected && check?.frame === 'unreachable' && (
        <Notice tone="warn" live>
          {t('preview.unreachable', { url: new URL(url).origin })}
        </Notice>
      )}
      {!isConnected && check?.frame === 'refused' && (
        <Notice tone="warn" live>
          {t('preview.refused', { header: check.header ?? '', origin: location.origin })}
        </Notice>
      )}
      <div className="flex min-h-0 flex-1 justify-center overflow-auto rounded-lg border border-line bg-sunken">
        <iframe
          ref={frame}
          src={url}
          title={t('preview.of', { title })}
          className={cx('h-full shrink-0 bg-white', width === 'desktop' && 'w-full')}
          style={{ width: widths[width] }}
          // No `allow-top-navigation`: a page in the frame cannot lead away from the panel.
          sandbox="allow-forms allow-popups allow-same-origin allow-scripts"
          referrerPolicy="no-referrer"
        />
      </div>
    </section>
  )
}

/** True if the front end has not answered for a while. */
function useTimedOut(isConnected: boolean): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    if (isConnected) return setLate(false)
    const timer = setTimeout(() => setLate(true), loadTimeoutMs)
    return () => clearTimeout(timer)
  }, [isConnected])
  return isLate
}

interface Messages extends Pick<Props, 'source' | 'draft'> {
  send: ReturnType<typeof useConnection>['send']
  /** Called after a change was saved or published. */
  onChanged?: () => void
}

/** Tells the front end what was changed, and which field has the focus. */
function useMessages({ source, draft, send, onChanged }: Messages): void {
  // The front end reads the saved draft, so the message is sent after saving.
  const sending = draft.use(state => state.sending)
  const publishing = draft.use(state => state.isPublishing)
  const before = useRef({ sending, publishing })
  const changed = useEffectEvent(() => {
    send({ quoin: 'changed' })
    onChanged?.()
  })
  useEffect(() => {
    const last = before.current
    before.current = { sending, publishing }
    if ((last.sending === 'sending' && sending === 'idle') || (last.publishing && !publishing)) changed()
  }, [sending, publishing])

  const focused = useEffectEvent((target: EventTarget | null) => {
    const path = target instanceof Element ? fieldAt(target) : []
    if (path.length > 0) send({ quoin: 'field', field: `${source.owner}#${path.join('/')}` })
  })
  useEffect(() => {
    const listen = ({ target }: FocusEvent) => focused(target)
    document.addEventListener('focusin', listen)
    return () => document.removeEventListener('focusin', listen)
  }, [])
}
