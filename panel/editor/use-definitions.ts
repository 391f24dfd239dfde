import { useQueries } from '@tanstack/react-query'
import { type FieldDefinitions, fieldsIn } from '../fields/field.ts'
import { sectionKey } from '../sections/use-section.ts'
import { type Blueprint, sectionsOf } from './blueprint.ts'
import type { ContentResource } from './content-resource.ts'

/**
 * Definitions of all fields of a form, including those of blocks and rows. Sections that were shown before are in the
 * query cache.
 */
export function useDefinitions(resource: ContentResource, { tabs }: Blueprint): FieldDefinitions {
  const sections = tabs.flatMap(sectionsOf).filter(({ type }) => type === 'fields')
  return useQueries({
    queries: sections.map(({ name }) => ({
      queryKey: sectionKey(resource, name, 1, ''),
      queryFn: () => resource.section(name, { page: 1 }),
    })),
    combine: found =>
      Object.fromEntries(
        found.flatMap(({ data }) => (data?.type === 'fields' ? Object.entries(fieldsIn(data.fields)) : [])),
      ),
  })
}
