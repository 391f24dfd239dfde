import { Eye } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { createStore } from '../app/store.ts'
import type { Draft } from '../editor/draft-state.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { previewWindow } from './connection.ts'
import type { PreviewSource } from './source.ts'

const PreviewPane = lazy(async () => ({ default: (await import('./preview-pane.tsx')).PreviewPane }))

/** Stays open from page to page. */
const isOpen = createStore(false)

export function PreviewButton() {
  const open = isOpen.use()
  return (
    <Button icon={Eye} aria-pressed={open} onClick={() => isOpen.set(!open)}>
      {t('pages.preview')}
    </Button>
  )
}

interface Props {
  /** Undefined without a preview. */
  source: PreviewSource | undefined
  title: string
  draft: Draft
  /** Called with the field (`page://…#text`) whose text was clicked in the preview. */
  onField: (field: string) => void
  /** The form. */
  children: ReactNode
}

/**
 * The form, and the preview beside it while it is open. On a narrow screen the preview takes the place of the form.
 * `data-wide` makes the layout of the panel use the whole width.
 */
export function PreviewSplit({ source, children, ...props }: Props) {
  const isShown = isOpen.use() && source !== undefined
  const hasWindow = previewWindow.use() !== null
  return (
    <div className={cx(isShown && 'grid gap-6 lg:grid-cols-2')} data-wide={isShown ? '' : undefined}>
      <div className={cx(isShown && 'min-w-0 max-lg:hidden')}>{children}</div>
      {/* A preview in a window of its own gets the changes from the pane, also while that is closed. */}
      {source && (isShown || hasWindow) && (
        <Suspense>
          <PreviewPane source={source} isShown={isShown} onClose={() => isOpen.set(false)} {...props} />
        </Suspense>
      )}
    </div>
  )
}
