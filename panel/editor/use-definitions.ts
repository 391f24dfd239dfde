import { useQueries } from '@tanstack/react-query'
import { type FieldDefinitions, fieldsIn } from '../fields/field.ts'
import { sectionKey } from '../sections/use-section.ts'
import { type Blueprint, sectionsOf } from './blueprint.ts'
import type { ContentResource } from './content-resource.ts'

/** All fields of a form with their settings, those inside of blocks and rows, too. Sections that were seen are known already. */
export function useDefinitions(thing: ContentResource, { tabs }: Blueprint): FieldDefinitions {
  const sections = tabs.flatMap(sectionsOf).filter(({ type }) => type === 'fields')
  return useQueries({
    queries: sections.map(({ name }) => ({
      queryKey: sectionKey(thing, name, 1, ''),
      queryFn: () => thing.section(name, { page: 1 }),
    })),
    combine: found => Object.assign({}, ...found.map(({ data }) => fieldsIn(data?.['fields']))) as FieldDefinitions,
  })
}
