import { RotateCw, TriangleAlert } from 'lucide-react'
import { useQueryClient } from '@tanstack/react-query'
import { errorText } from '../app/errors.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

/** Shown in place of a section that failed to load. The other sections still work. */
export function SectionFailed({ error }: { error: unknown }) {
  const queryClient = useQueryClient()
  return (
    <div className="rounded-lg border bg-surface">
      <EmptyState
        small
        tone="danger"
        icon={TriangleAlert}
        text={errorText(error)}
        action={
          <Button
            size="small"
            icon={RotateCw}
            onClick={() => void queryClient.invalidateQueries({ queryKey: ['sections'] })}
          >
            {t('action.retry')}
          </Button>
        }
      />
    </div>
  )
}
