import { iconOf } from '../../app/icons.ts'
import type { Icon } from '../../ui/icon.ts'
import type { MenuItem } from '../../ui/menu.tsx'
import type { Fieldset, Fieldsets } from './block-value.ts'

/** The types of blocks that can be added, by group. */
export function choicesIn(fieldsets: Fieldsets): { group: string | undefined; sets: Fieldset[] }[] {
  const sets = [...fieldsets.values()].filter(set => !set.disabled)
  return [...Map.groupBy(sets, ({ group }) => group)].map(([group, of]) => ({ group, sets: of }))
}

export const iconFor = ({ icon }: Fieldset): Icon => iconOf(icon) ?? iconOf('text')!

/** The types of blocks as menu items. */
export const additions = (fieldsets: Fieldsets, add: (type: string) => void): MenuItem[] =>
  choicesIn(fieldsets).flatMap(({ group, sets }) => [
    ...(group === undefined ? [] : [{ heading: group }]),
    ...sets.map(set => ({ text: set.name, icon: iconFor(set), onSelect: () => add(set.type) })),
  ])
