/** A blueprint as the API describes it. */
export interface Blueprint {
  name: string
  title: string
  tabs: Tab[]
  status?: Record<string, { label: string; text: string | null }>
  num?: string
}

export interface Tab {
  name: string
  label: string
  icon: string | null
  columns: Column[] | Record<string, Column>
}

export interface Column {
  width: string
  sticky?: boolean
  sections: Record<string, Section>
}

export interface Section {
  name: string
  type: string
  label?: string
  when?: Record<string, unknown>
  fields?: Record<string, { label?: string; type?: string; translate?: boolean }>
}

/** The tabs are as in the YAML file, so the API has no type for them. */
export const withTabs = <Shown extends { tabs: object[] }>(blueprint: Shown) => ({
  ...blueprint,
  tabs: blueprint.tabs as Tab[],
})

export const columnsOf = ({ columns }: Tab): Column[] => Object.values(columns)

export const sectionsOf = (tab: Tab): Section[] =>
  columnsOf(tab).flatMap(({ sections }) => Object.entries(sections).map(([name, section]) => ({ ...section, name })))

/** Names of the fields in a tab, in lower case, like the keys of the content. */
export const namesIn = (tab: Tab): string[] =>
  sectionsOf(tab).flatMap(({ fields = {} }) => Object.keys(fields).map(name => name.toLowerCase()))

/** Labels of the fields by their lower-case names. */
export function labelsOf({ tabs }: Blueprint): Readonly<Record<string, string>> {
  const fields = tabs.flatMap(sectionsOf).flatMap(({ fields: all = {} }) => Object.entries(all))
  return Object.fromEntries(fields.map(([name, { label }]) => [name.toLowerCase(), label ?? capital(name)]))
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
