import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDate } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { type FieldDefinition, isMap, listIn, optionsIn, textIn, primitiveText } from './field.ts'
import { textOfHtml } from './html.tsx'
import { LinkTarget } from './link/link-target.tsx'
import { entriesIn } from './picker/entries.ts'
import { EntryThumb } from './picker/thumb.tsx'
import { tableIn } from './table/table-value.ts'

const maxThumbs = 4

/** A short, read-only value for a table cell. */
export function ValuePreview({ field, value }: { field: FieldDefinition; value: unknown }): ReactNode {
  if (value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)) return null
  const { type } = field
  switch (type) {
    case 'toggle':
      return value === true ? <Check aria-hidden="true" className="text-good" /> : null
    case 'files':
    case 'pages':
    case 'users': {
      const entries = entriesIn(value)
      return (
        <span className="flex min-w-0 items-center gap-1.5">
          {entries.slice(0, maxThumbs).map(entry => (
            <EntryThumb key={entry.id} entry={entry} type={type} />
          ))}
          <span className="truncate">{entries.length === 1 ? entries[0]!.text : entries.length}</span>
        </span>
      )
    }
    case 'link':
      return <LinkTarget link={primitiveText(value)} />
    case 'color':
      return (
        <span className="flex items-center gap-2">
          <span
            className="size-4 shrink-0 rounded-sm border border-edge"
            style={{ backgroundColor: primitiveText(value) }}
          />
          <span className="truncate">{primitiveText(value)}</span>
        </span>
      )
    case 'tags':
    case 'multiselect':
    case 'checkboxes':
      return (
        <span className="flex min-w-0 gap-1 overflow-hidden">
          {listIn(value)
            .slice(0, maxThumbs)
            .map(item => (
              <Badge key={String(item)}>{labelOf(field, String(item))}</Badge>
            ))}
        </span>
      )
    default:
      return <span className="block truncate">{valueText(field, value)}</span>
  }
}

/** A value as plain text. */
export function valueText(field: FieldDefinition, value: unknown): string {
  switch (field.type) {
    case 'writer':
    case 'list':
      return textOfHtml(primitiveText(value))
    case 'table':
      return tableIn(value).rows.map(row => row.map(textOfHtml).join(' | ')).join('\n') // prettier-ignore
    case 'date':
      return dateOf(primitiveText(value), field['time'] !== false && field['time'] !== undefined)
    case 'time':
      return primitiveText(value).slice(0, 5)
    case 'select':
    case 'radio':
    case 'toggles':
      return labelOf(field, primitiveText(value))
    case 'toggle':
      return ''
    case 'blocks':
    case 'layout':
    case 'structure':
      return listIn(value).length > 0 ? String(listIn(value).length) : ''
    case 'object':
      return isMap(value) ? Object.values(value).filter(item => typeof item === 'string' && item !== '').join(', ') : '' // prettier-ignore
    default:
      return Array.isArray(value)
        ? value.map(item => (isMap(item) ? (textIn(item['text']) ?? '') : primitiveText(item))).join(', ')
        : isMap(value)
          ? ''
          : primitiveText(value)
  }
}

const labelOf = (field: FieldDefinition, value: string) =>
  optionsIn(field).find(option => option.value === value)?.text || value

function dateOf(value: string, withTime: boolean): string {
  const date = new Date(value.replace(' ', 'T'))
  if (Number.isNaN(date.getTime())) return value
  return formatDate(date, withTime ? { dateStyle: 'medium', timeStyle: 'short' } : { dateStyle: 'medium' })
}
