import { useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { Form, Values } from '../field.ts'
import type { BlockValue, Fieldset } from './block-value.ts'

interface Props {
  block: Pick<BlockValue, 'id' | 'content'> | undefined
  fieldset: Fieldset | undefined
  form: Form
  onChange: (content: Values) => void
  onClose: () => void
}

/** All fields of a block, in its tabs. */
export function BlockDrawer({ block, fieldset, form, onChange, onClose }: Props) {
  const [chosen, setChosen] = useState<string>()
  const tabs = fieldset?.tabs ?? []
  const tab = tabs.find(one => one.name === chosen) ?? tabs[0]

  return (
    <Drawer
      open={block !== undefined && tab !== undefined}
      onClose={onClose}
      title={fieldset?.name ?? ''}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('fields.done')}
        </Button>
      }
    >
      {block && tab && (
        <div key={block.id}>
          {tabs.length > 1 ? (
            <Tabs
              value={tab.name}
              onChange={setChosen}
              label={fieldset?.name}
              tabs={tabs.map(one => ({ value: one.name, text: one.label }))}
            >
              {form(tab.fields, block.content, onChange)}
            </Tabs>
          ) : (
            form(tab.fields, block.content, onChange)
          )}
        </div>
      )}
    </Drawer>
  )
}
