import { isMap } from '../fields/field.ts'
import { t } from '../texts/texts.ts'

/** What a thread is about: the page, a field by its label, or a block by its first words. */
export function nameOfPath(
  path: string,
  labels: Readonly<Record<string, string>>,
  values: Readonly<Record<string, unknown>>,
): string {
  if (path === '') return t('comments.page')
  const [name = '', part] = path.split('/')
  const label = labels[name] ?? t('comments.removed')
  if (part === undefined) return label
  const block = findBlock(values[name], part)
  return `${label} › ${block ? firstWords(block['content']) || t('comments.block') : t('comments.removedBlock')}`
}

/** A block, also in the columns of a layout. Rows have numbers. */
function findBlock(value: unknown, id: string): Record<string, unknown> | undefined {
  if (Array.isArray(value)) {
    const row: unknown = /^\d+$/.test(id) ? value[Number(id)] : undefined
    if (isMap(row)) return { content: row }
    for (const part of value) {
      const found = findBlock(part, id)
      if (found) return found
    }
    return undefined
  }
  if (!isMap(value)) return undefined
  return value['id'] === id ? value : findBlock(value['columns'] ?? value['blocks'], id)
}

const maxLength = 40

function firstWords(value: unknown): string {
  if (typeof value === 'string') {
    const text = value
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return text.length > maxLength ? `${text.slice(0, maxLength).trimEnd()}…` : text
  }
  if (!isMap(value)) return ''
  return firstWords(value['text']) || Object.values(value).map(item => (typeof item === 'string' ? firstWords(item) : '')).find(text => text !== '') || '' // prettier-ignore
}
