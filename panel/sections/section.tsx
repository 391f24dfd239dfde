import type { Section as Described } from '../editor/blueprint.ts'
import type { Draft } from '../editor/draft.ts'
import type { ContentResource } from '../editor/content-resource.ts'
import { FieldsSection } from './fields-section.tsx'
import { FilesSection } from './files-section.tsx'
import { InfoSection } from './info-section.tsx'
import { PagesSection } from './pages-section.tsx'
import { StatsSection } from './stats-section.tsx'

interface Props {
  section: Described
  thing: ContentResource
  draft: Draft
  disabled: boolean
  secondary: boolean
}

/** Renders a section by its type. */
export function Section({ section: { name, type }, thing, ...form }: Props) {
  switch (type) {
    case 'fields':
      return <FieldsSection thing={thing} name={name} {...form} />
    case 'pages':
      return <PagesSection thing={thing} name={name} />
    case 'files':
      return <FilesSection thing={thing} name={name} />
    case 'info':
      return <InfoSection thing={thing} name={name} />
    case 'stats':
      return <StatsSection thing={thing} name={name} />
    default:
      return null
  }
}
