import { RotateCw, TriangleAlert } from 'lucide-react'
import { errorText } from '../app/errors.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** Shown in place of a part of a screen that failed to load. */
export function ErrorNotice({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <EmptyState
      icon={TriangleAlert}
      tone="danger"
      text={errorText(error)}
      action={
        <Button icon={RotateCw} onClick={onRetry}>
          {t('action.retry')}
        </Button>
      }
    />
  )
}
