import type { BlueprintSection } from '../editor/blueprint.ts'
import type { Draft } from '../editor/draft-state.ts'
import type { ContentResource } from '../editor/content-resource.ts'
import { FieldsSection } from './fields-section.tsx'
import { FilesSection } from './files-section.tsx'
import { InfoSection } from './info-section.tsx'
import { PagesSection } from './pages-section.tsx'
import { StatsSection } from './stats-section.tsx'

interface Props {
  section: BlueprintSection
  resource: ContentResource
  draft: Draft
  disabled: boolean
  secondary: boolean
}

/** Renders a section by its type. */
export function Section({ section: { name, type }, resource, ...form }: Props) {
  switch (type) {
    case 'fields':
      return <FieldsSection resource={resource} name={name} {...form} />
    case 'pages':
      return <PagesSection resource={resource} name={name} />
    case 'files':
      return <FilesSection resource={resource} name={name} />
    case 'info':
      return <InfoSection resource={resource} name={name} />
    case 'stats':
      return <StatsSection resource={resource} name={name} />
    default:
      return null
  }
}
