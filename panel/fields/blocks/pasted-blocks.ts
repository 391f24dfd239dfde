import { optionsIn, type Values } from '../field.ts'
import type { Pasted } from '../paste/pasted.ts'
import { listToHtml, runsToHtml, toHtml } from '../paste/to-html.ts'
import { toMarkdown } from '../paste/to-markdown.ts'
import { conform } from '../rich/conform.ts'
import { tableOf } from '../table/clipboard.ts'
import { type BlockValue, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'

export interface ImageBlock {
  block: BlockValue
  file: File
}

/** What pasted content becomes. */
interface PastedBlocks {
  blocks: BlockValue[]
  images: ImageBlock[]
  /** Number of images without a suitable block, that may not be uploaded, or that the browser cannot read, such as local files. */
  skippedImages: number
}

/** The first block type with this preview and this field. */
export const fieldsetWith = (fieldsets: Fieldsets, preview: string, field: string): Fieldset | undefined =>
  [...fieldsets.values()].find(set => !set.disabled && set.preview === preview && field in set.fields)

/**
 * Creates one block for each heading, list, quotation, image and so on. Undefined if the list allows neither text nor
 * Markdown blocks.
 */
export function blocksFrom(pasted: readonly Pasted[], fieldsets: Fieldsets): PastedBlocks | undefined {
  const text = fieldsetWith(fieldsets, 'text', 'text')
  const markdown = fieldsetWith(fieldsets, 'markdown', 'text')
  if (!text && !markdown) return undefined
  const result: PastedBlocks = { blocks: [], images: [], skippedImages: 0 }
  let pendingText: Pasted[] = []

  const add = (set: Fieldset, content: Values) => {
    const block = createBlock(set.type, fieldsets)
    result.blocks.push({ ...block, content: { ...block.content, ...content } })
  }
  const flushText = () => {
    if (pendingText.length === 0) return
    if (text) add(text, { text: conform(toHtml(pendingText), text.fields['text']!) })
    else add(markdown!, { text: toMarkdown(pendingText) })
    pendingText = []
  }

  for (const item of pasted) {
    if (item.kind === 'image') {
      const block = imageBlock(item, fieldsets)
      flushText()
      if (block) result.blocks.push(block.block)
      else result.skippedImages += 1
      if (block?.file) result.images.push({ block: block.block, file: block.file })
      continue
    }
    const own = contentFor(item, fieldsets)
    if (own) {
      flushText()
      add(...own)
    } else if (item.kind !== 'line') pendingText.push(item)
  }
  flushText()
  return result
}

/** The type and content of the block for an item. Undefined if the item belongs into a text block. */
function contentFor(item: Pasted, fieldsets: Fieldsets): [Fieldset, Values] | undefined {
  const find = (preview: string, field: string) => fieldsetWith(fieldsets, preview, field)
  switch (item.kind) {
    case 'heading': {
      const set = find('heading', 'text')
      return set && [set, { ...levelFor(item.level, set), text: conform(runsToHtml(item.runs), set.fields['text']!) }]
    }
    case 'list': {
      const set = find('list', 'text')
      return set && [set, { text: conform(listToHtml(item), set.fields['text']!) }]
    }
    case 'quote': {
      const set = find('quote', 'text')
      return set && [set, { text: conform(runsToHtml(item.runs), set.fields['text']!) }]
    }
    case 'code': {
      const set = find('code', 'code')
      return set && [set, { code: item.code, ...languageFor(item.language, set) }]
    }
    case 'table': {
      const set = find('table', 'table')
      return set && [set, { table: tableOf(item) }]
    }
    case 'line': {
      const set = [...fieldsets.values()].find(({ preview, disabled }) => preview === 'line' && !disabled)
      return set && [set, {}]
    }
    default:
      return undefined
  }
}

/** The nearest heading level that the field offers. */
export function levelFor(level: number, { fields }: Fieldset): Values {
  const levels = fields['level']
    ? optionsIn(fields['level']).map(({ value }) => Number(/^h(\d)$/.exec(value)?.[1]))
    : []
  const [nearest] = levels.filter(Boolean).toSorted((a, b) => Math.abs(a - level) - Math.abs(b - level))
  return nearest === undefined ? {} : { level: `h${nearest}` }
}

function languageFor(language: string | undefined, { fields }: Fieldset): Values {
  const languages = fields['language'] ? optionsIn(fields['language']).map(({ value }) => value) : []
  return language !== undefined && languages.includes(language) ? { language } : {}
}

const imageFieldset = (fieldsets: Fieldsets) => fieldsetWith(fieldsets, 'image', 'image')

/** An external image is linked; an embedded one is uploaded, if the field allows uploads. */
function imageBlock({ src, alt }: Pasted & { kind: 'image' }, fieldsets: Fieldsets) {
  const set = imageFieldset(fieldsets)
  if (!set) return undefined
  const block = createBlock(set.type, fieldsets)
  const content = { ...block.content, ...('alt' in set.fields && { alt }) }
  const file = fileIn(src)
  if (file) return uploadsOf(set) === false ? undefined : { block: { ...block, content }, file }
  if (!/^https?:/i.test(src) || !('src' in set.fields) || !('location' in set.fields)) return undefined
  return { block: { ...block, content: { ...content, location: 'web', src } }, file: undefined }
}

/** The image in a `data:` URL. */
function fileIn(src: string): File | undefined {
  const [, type, data] = /^data:(image\/[a-z0-9.+-]+)[^,]*;base64,(.*)$/is.exec(src) ?? []
  if (type === undefined || data === undefined) return undefined
  const extension = type.slice('image/'.length).replace(/\+.*$/, '').replace('jpeg', 'jpg')
  try {
    const bytes = Uint8Array.from(atob(data.replaceAll(/\s/g, '')), char => char.codePointAt(0)!)
    return new File([bytes], `image.${extension}`, { type })
  } catch {
    return undefined
  }
}

/** Creates an image block for each file, to be filled in after the upload. */
export function imageBlocks(files: readonly File[], fieldsets: Fieldsets): ImageBlock[] {
  const set = imageFieldset(fieldsets)
  if (!set || uploadsOf(set) === false) return []
  return files.map(file => ({ file, block: createBlock(set.type, fieldsets) }))
}

/** The `uploads` setting of the image field. */
export const uploadsOf = (set: Fieldset): unknown => set.fields['image']?.['uploads']

/** The content of an image block with an uploaded image. */
export const withImage = (entry: Values, set: Fieldset | undefined): Values => ({
  image: [entry],
  ...(set && 'location' in set.fields && { location: 'kirby' }),
})
