import { memo, use, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import type { RenderForm, Values } from '../field.ts'
import { FieldPath, pathTo } from '../path.ts'
import { errorsByName, countErrors, useErrorsOfEditedFields, type NestedError } from '../field-errors.ts'
import type { BlockValue, Fieldset } from './block-value.ts'

interface Props {
  block: Pick<BlockValue, 'id' | 'content'> | undefined
  fieldset: Fieldset | undefined
  renderForm: RenderForm
  /** Errors of its fields. */
  nestedErrors: readonly NestedError[] | undefined
  onChange: (id: string, content: Values) => void
  onClose: () => void
}

/** All fields of a block, in tabs. While closed, it does not render on keystrokes. */
export const BlockDrawer = memo(function BlockDrawer(props: Props) {
  const { block, fieldset, renderForm, nestedErrors = [], onChange, onClose } = props
  const [chosen, setChosen] = useState<string>()
  const path = pathTo(use(FieldPath), fieldset?.type ?? '')
  const tabs = fieldset?.tabs ?? []
  const tab = tabs.find(candidate => candidate.name === chosen) ?? tabs[0]
  const fieldErrors = useErrorsOfEditedFields(block?.id, block?.content ?? {}, errorsByName(nestedErrors))

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
        <FieldPath key={block.id} value={path}>
          <div data-inside-block={block.id}>
            {tabs.length > 1 ? (
              <Tabs
                value={tab.name}
                onChange={setChosen}
                label={fieldset?.name}
                tabs={tabs.map(item => ({
                  value: item.name,
                  text: item.label,
                  badge: badgeOf(countErrors(item.fields, fieldErrors)),
                }))}
              >
                {renderForm(tab.fields, block.content, content => onChange(block.id, content), fieldErrors)}
              </Tabs>
            ) : (
              renderForm(tab.fields, block.content, content => onChange(block.id, content), fieldErrors)
            )}
          </div>
        </FieldPath>
      )}
    </Drawer>
  )
})

const badgeOf = (count: number) =>
  count > 0 ? <Badge tone="danger">{t('editor.tab.wrong', { count })}</Badge> : undefined
