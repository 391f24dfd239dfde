import { Bookmark } from 'lucide-react'
import { useState } from 'react'
import { toastWithUndo } from '../app/undo.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { isSameView, type ListView, writeView } from './list-view.ts'
import { type SavedView, useViews } from './use-views.ts'
import { ViewDialog } from './view-dialog.tsx'

interface Props {
  place: string
  view: ListView
  onView: (view: ListView) => void
}

/** The views of a list that the user has saved: chosen, saved, renamed, deleted. */
export function Views({ place, view, onView }: Props) {
  const { views, change } = useViews(place)
  const [dialog, setDialog] = useState<'save' | SavedView>()
  const chosen = views.find(saved => isSameView(saved.view, view))
  const isEmpty = isSameView(view, {})
  if (views.length === 0 && isEmpty && !dialog) return null

  async function remove(saved: SavedView) {
    await change({ [saved.id]: null })
    toastWithUndo({
      title: t('views.deleted', { name: saved.name }),
      undo: () => change({ [saved.id]: { place, name: saved.name, view: writeView(saved.view) } }),
      undone: t('views.restored', { name: saved.name }),
    })
  }

  return (
    <>
      <Menu
        trigger={
          <Button size="small" variant="plain" icon={Bookmark} className="ms-auto">
            {chosen?.name ?? t('views.menu')}
          </Button>
        }
        items={[
          ...views.map(saved => ({
            text: saved.name,
            checked: saved === chosen,
            onSelect: () => onView(saved.view),
          })),
          views.length > 0 && 'line',
          chosen
            ? { text: t('views.rename'), onSelect: () => setDialog(chosen) }
            : { text: t('views.save'), disabled: isEmpty, onSelect: () => setDialog('save') },
          chosen && { text: t('views.delete'), danger: true, onSelect: () => void remove(chosen) },
        ]}
      />
      {dialog && (
        <ViewDialog
          saved={dialog === 'save' ? undefined : dialog}
          onSave={(id, name) =>
            change({ [id]: { place, name, view: writeView(dialog === 'save' ? view : dialog.view) } })
          }
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}
