import { z } from 'zod'
import type { Status } from '../../blueprints/blueprints.ts'
import type { PanelImage } from '../../blueprints/panel-image.ts'
import type { PageState } from '../../groups/pages/state.ts'
import type { Paginated } from '../../http/answer.ts'
import { namedSchema } from '../../platform/lib/schema-names.ts'

/** What all sections have. */
interface Common {
  status: 'ok'
  code: 200
  name: string
}

export interface FieldsSection extends Common {
  type: 'fields'
  /** The settings of a field depend on its type. */
  fields: Record<string, Record<string, unknown>>
}

export interface InfoSection extends Common {
  type: 'info'
  icon: string | null
  label: string
  text: string | null
  theme: string | null
}

export interface StatsSection extends Common {
  type: 'stats'
  headline: string
  label: string | null
  reports: Record<'icon' | 'info' | 'label' | 'link' | 'theme' | 'value', string | null>[]
  size: string
}

export interface ListColumn {
  label: string
  /** The type of the field, or one of the table itself. Null if the item has no such field. */
  type?: string | null
  mobile?: boolean
  width?: string
  align?: string
}

interface ListOptions {
  /** Empty unless the layout is `table`. */
  columns: Record<string, ListColumn>
  empty: string | null
  headline: string
  help: string | null
  layout: 'list' | 'cards' | 'cardlets' | 'table'
  /** The path of the parent in the panel, if it is not the model itself. */
  link: string | null
  max: number | null
  min: number | null
  search: boolean
  size: string
  sortable: boolean
}

/** In the layout `table`, items also have the cells of their columns by name. */
interface Item {
  dragText: string
  id: string
  image: PanelImage | null
  info: string
  link: string
  text: string
  /** Only in tables, where a column may be called `text` or `link`. */
  title?: { text: string; href: string }
}

interface PageItem extends Item {
  parent: string | null
  permissions: Record<'sort' | 'changeSlug' | 'changeStatus' | 'changeTitle', boolean>
  /** Only with `states=true`. */
  state?: PageState
  status: Status
  template: string
}

interface FileItem extends Item {
  extension: string
  filename: string
  mime: string
  parent: string
  template: string | null
  url: string
}

export type ListErrors = Record<string, { label: string; message: Record<string, string> }>

interface List extends Common {
  errors: ListErrors
  pagination: Paginated<never>['pagination']
}

export interface PagesSection extends List {
  type: 'pages'
  data: PageItem[]
  options: ListOptions & {
    add: boolean
    /** Only with `states=true`. */
    filters?: {
      /** Names the list, whatever the addresses of its page are. */
      place: string
      statuses: { name: Status; label: string | null }[]
      templates: { name: string; title: string }[]
      /** How many pages were checked, if not all of them were. */
      looked?: number
    }
  }
}

export interface FilesSection extends List {
  type: 'files'
  data: FileItem[]
  options: ListOptions & {
    accept: string | null
    apiUrl: string | null
    upload:
      | false
      | {
          accept: string | null
          api: string
          attributes: { sort: number | null; template: string | null }
          max: number | null
          multiple: boolean
        }
  }
}

/** A section in the API. `type` tells what else it has. */
export type ShownSection = FieldsSection | FilesSection | InfoSection | PagesSection | StatsSection

/** What a section shows, without what all sections have. */
export type SectionContents<Section extends ShownSection> = Omit<Section, keyof Common | 'type'>

/**
 * `{ status, code, name, type, … }`; further properties depend on the type. Only the types of TypeScript name them: in
 * the OpenAPI document they would take 7 kB.
 */
export const sectionSchema = namedSchema(
  'Section',
  z.object({ status: z.literal('ok'), code: z.literal(200), name: z.string(), type: z.string() }).catchall(z.unknown()),
) as z.ZodType as z.ZodType<ShownSection>
