import { iconOf } from '../../app/icons.ts'
import type { Icon } from '../../ui/icon.ts'
import type { MenuItem } from '../../ui/menu.tsx'
import type { Fieldset, Fieldsets } from './block-value.ts'

/** What is used most comes first. */
const byUse = ['text', 'heading', 'list', 'image', 'quote', 'table', 'gallery', 'code', 'video', 'markdown', 'line']

/** The block types that can be added, by group. */
export function choicesIn(fieldsets: Fieldsets): { group: string | undefined; sets: Fieldset[] }[] {
  const sets = ordered([...fieldsets.values()].filter(set => !set.disabled))
  return [...Map.groupBy(sets, ({ group }) => group)].map(([group, setsOfGroup]) => ({ group, sets: setsOfGroup }))
}

/**
 * Types in alphabetical order, with `table` at the end as in the default, have no order of their own. Otherwise the
 * blueprint decides, but text is first. With groups, the order is always that of the blueprint.
 */
function ordered(sets: readonly Fieldset[]): Fieldset[] {
  const types = sets.map(({ type }) => type)
  const withoutTable = types.at(-1) === 'table' ? types.slice(0, -1) : types
  const isAlphabetical = withoutTable.every((type, index) => index === 0 || withoutTable[index - 1]! < type)
  const rankOf = ({ type }: Fieldset) => {
    const rank = byUse.indexOf(type)
    return isAlphabetical && rank !== -1 ? rank : type === 'text' ? -1 : byUse.length
  }
  return sets.some(({ group }) => group !== undefined) ? [...sets] : sets.toSorted((a, b) => rankOf(a) - rankOf(b))
}

export const iconFor = ({ icon }: Fieldset): Icon => iconOf(icon) ?? iconOf('text')!

/** The block types as menu items. */
export const blockTypeItems = (fieldsets: Fieldsets, add: (type: string) => void): MenuItem[] =>
  choicesIn(fieldsets).flatMap(({ group, sets }) => [
    ...(group === undefined ? [] : [{ heading: group }]),
    ...sets.map(set => ({ text: set.name, icon: iconFor(set), onSelect: () => add(set.type) })),
  ])
