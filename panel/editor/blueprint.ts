import type { client } from '../app/client.ts'

type PageBlueprint = Awaited<ReturnType<typeof client.pages.blueprint>>

/** A blueprint as the API describes it. Only those of pages have statuses and numbers. */
export type Blueprint = Pick<PageBlueprint, 'name' | 'tabs' | 'title'> & Partial<Pick<PageBlueprint, 'num' | 'status'>>

export type BlueprintTab = Blueprint['tabs'][number]
export type BlueprintColumn = Extract<BlueprintTab['columns'], unknown[]>[number]
export type BlueprintSection = BlueprintColumn['sections'][string]

export const columnsOf = ({ columns }: BlueprintTab): BlueprintColumn[] => Object.values(columns)

export const sectionsOf = (tab: BlueprintTab): BlueprintSection[] =>
  columnsOf(tab).flatMap(({ sections }) => Object.entries(sections).map(([name, section]) => ({ ...section, name })))

/** Names of the fields in a tab, in lower case, like the keys of the content. */
export const namesIn = (tab: BlueprintTab): string[] =>
  sectionsOf(tab).flatMap(({ fields = {} }) => Object.keys(fields).map(name => name.toLowerCase()))

/** Labels of the fields by their lower-case names. */
export function labelsOf({ tabs }: Blueprint): Readonly<Record<string, string>> {
  const fields = tabs.flatMap(sectionsOf).flatMap(({ fields: all = {} }) => Object.entries(all))
  return Object.fromEntries(fields.map(([name, { label }]) => [name.toLowerCase(), label ?? capital(name)]))
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)
