import { t } from '../texts/texts.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { RadioGroup } from '../ui/radio-group.tsx'
import { Select } from '../ui/select.tsx'
import type { Release } from './query.ts'

/** Stands for a release that is created with its first items. */
export const newRelease = 'new'

interface ReleaseProps {
  releases: readonly Release[]
  /** The id of a release, or `newRelease`. */
  chosen: string
  onChosen: (id: string) => void
  name: string
  onName: (name: string) => void
}

/** Chooses a release that exists, or the name of a new one. */
export function ReleaseFields({ releases, chosen, onChosen, name, onName }: ReleaseProps) {
  return (
    <>
      {releases.length > 0 && (
        <Field label={t('releases.add.to')}>
          <Select
            value={chosen}
            onChange={next => onChosen(next ?? newRelease)}
            options={[
              ...releases.map(release => ({ value: release.id, text: release.name })),
              { value: newRelease, text: t('releases.add.new') },
            ]}
          />
        </Field>
      )}
      {chosen === newRelease && (
        <Field label={t('releases.name')} required>
          <Input value={name} onChange={onName} maxLength={200} placeholder={t('releases.name.example')} autoFocus />
        </Field>
      )}
    </>
  )
}

export type ReleaseAction = 'publish' | 'delete'

interface ActionProps {
  value: ReleaseAction
  onChange: (action: ReleaseAction) => void
  canDelete: boolean
}

/** What the release does. */
export function ActionField({ value, onChange, canDelete }: ActionProps) {
  return (
    <Field group="radiogroup" label={t('releases.add.what')}>
      <RadioGroup<ReleaseAction>
        value={value}
        onChange={onChange}
        options={[
          { value: 'publish', text: t('releases.add.publish'), info: t('releases.add.publish.text') },
          {
            value: 'delete',
            text: t('action.delete'),
            info: t('releases.add.delete.text'),
            disabled: !canDelete,
          },
        ]}
      />
    </Field>
  )
}
