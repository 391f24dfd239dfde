import { t } from '../texts/texts.ts'

/** The value of a field of any type as plain text, one item per line. */
export function readable(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return plain(value)
  if (typeof value === 'boolean') return t(value ? 'editor.yes' : 'editor.no')
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return list(value)
  return typeof value === 'object' ? entry(value as Record<string, unknown>) : ''
}

function list(values: readonly unknown[]): string {
  const isFlat = values.every(value => typeof value === 'string' || typeof value === 'number')
  return isFlat ? values.join(', ') : values.map(readable).filter(Boolean).join('\n')
}

/** Technical properties that are not displayed. */
const silent = new Set([
  'id',
  'uuid',
  'isHidden',
  'dragText',
  'image',
  'link',
  'url',
  'sortable',
  'hasChildren',
  'attrs',
])

function entry(value: Record<string, unknown>): string {
  // A reference to a page, file or account.
  if (typeof value['text'] === 'string' && 'uuid' in value) return plain(value['text'])
  // A block, or a row of a layout.
  if (typeof value['type'] === 'string' && typeof value['content'] === 'object') return readable(value['content'])
  if (Array.isArray(value['columns'])) return list(value['columns'])
  if (Array.isArray(value['blocks'])) return list(value['blocks'])
  const visible = Object.entries(value).filter(([name]) => !silent.has(name))
  return visible
    .map(([name, inner]) => [name, readable(inner)] as const)
    .filter(([, text]) => text !== '')
    .map(([name, text]) => (visible.length === 1 || name === 'text' ? text : `${name}: ${text}`))
    .join('\n')
}

/** Removes markup. `DOMParser` runs no scripts and loads no resources. */
function plain(text: string): string {
  if (!/<[a-z/!][^>]*>/i.test(text)) return text
  const broken = text.replaceAll(/<(br|hr)\s*\/?>|<\/(p|h[1-6]|li|blockquote|pre|div|tr)>/gi, '$&\n')
  return (new DOMParser().parseFromString(broken, 'text/html').body.textContent ?? '')
    .replaceAll(/\n{2,}/g, '\n')
    .trim()
}
