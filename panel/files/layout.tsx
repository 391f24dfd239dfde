import { LayoutGrid, List as ListIcon } from 'lucide-react'
import { createStore } from '../app/store.ts'
import { t } from '../texts/texts.ts'
import { Toggles } from '../ui/toggles.tsx'

/** The last chosen layout, for all lists of files. */
export const layout = createStore<'grid' | 'list'>('grid')

export function LayoutToggle() {
  return (
    <Toggles
      aria-label={t('files.layout')}
      value={layout.use()}
      onChange={value => layout.set(value ?? 'grid')}
      labels={false}
      grow={false}
      options={[
        { value: 'grid', text: t('files.layout.grid'), icon: LayoutGrid },
        { value: 'list', text: t('files.layout.list'), icon: ListIcon },
      ]}
    />
  )
}
