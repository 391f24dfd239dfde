import { type ReactNode, useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { useSession } from '../app/session.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { PageTree } from '../pages/tree/page-tree.tsx'
import { t } from '../texts/texts.ts'

interface Props {
  title: string
  description?: string | undefined
  confirm: string
  busy?: boolean | undefined
  /** The path of the chosen page; `''` is the site. */
  value?: string | undefined
  children?: ReactNode
  onClose: () => void
  onChoose: (place: string) => void
}

/** Chooses a page, or the site. */
export function PlaceDialog({ title, description, confirm, busy = false, value, children, onClose, onChoose }: Props) {
  const { system } = useSession()
  const { code: language } = useContentLanguage()
  const [chosen, setChosen] = useState(value)
  return (
    <SubmitDialog
      title={title}
      description={description}
      confirm={confirm}
      busy={busy}
      disabled={chosen === undefined}
      onClose={onClose}
      onSubmit={() => onChoose(chosen!)}
    >
      <PageTree
        label={t('library.place')}
        root={system.title ?? ''}
        language={language}
        selected={chosen}
        onSelect={page => setChosen(page?.id ?? '')}
        className="h-[min(24rem,50dvh)] rounded-md border p-1"
      />
      {children}
    </SubmitDialog>
  )
}
