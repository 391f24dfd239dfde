import { optionsIn, type Values } from '../field.ts'
import type { Pasted } from '../paste/pasted.ts'
import { listToHtml, runsToHtml, toHtml } from '../paste/to-html.ts'
import { toMarkdown } from '../paste/to-markdown.ts'
import { conform } from '../rich/conform.ts'
import { tableOf } from '../table/clipboard.ts'
import { type BlockValue, createBlock, type Fieldset, type Fieldsets } from './block-value.ts'

export interface PictureBlock {
  block: BlockValue
  file: File
}

interface PastedBlock {
  blocks: BlockValue[]
  pictures: PictureBlock[]
  /** Number of pictures without a suitable block, that may not be uploaded, or that the browser cannot read, such as local files. */
  leftOut: number
}

/** The first type of block with this preview and this field. */
export const kindIn = (fieldsets: Fieldsets, preview: string, part: string): Fieldset | undefined =>
  [...fieldsets.values()].find(set => !set.disabled && set.preview === preview && part in set.fields)

/**
 * Creates one block for each heading, list, quotation, picture and so on. Undefined if the list allows neither text nor
 * Markdown blocks.
 */
export function blocksFrom(pasted: readonly Pasted[], fieldsets: Fieldsets): PastedBlock | undefined {
  const text = kindIn(fieldsets, 'text', 'text')
  const markdown = kindIn(fieldsets, 'markdown', 'text')
  if (!text && !markdown) return undefined
  const result: PastedBlock = { blocks: [], pictures: [], leftOut: 0 }
  let pendingText: Pasted[] = []

  const add = (set: Fieldset, content: Values) => {
    const block = createBlock(set.type, fieldsets)
    result.blocks.push({ ...block, content: { ...block.content, ...content } })
  }
  const endText = () => {
    if (pendingText.length === 0) return
    if (text) add(text, { text: conform(toHtml(pendingText), text.fields['text']!) })
    else add(markdown!, { text: toMarkdown(pendingText) })
    pendingText = []
  }

  for (const part of pasted) {
    if (part.kind === 'image') {
      const block = imageBlock(part, fieldsets)
      endText()
      if (block) result.blocks.push(block.block)
      else result.leftOut += 1
      if (block?.file) result.pictures.push({ block: block.block, file: block.file })
      continue
    }
    const own = contentFor(part, fieldsets)
    if (own) {
      endText()
      add(...own)
    } else if (part.kind !== 'line') pendingText.push(part)
  }
  endText()
  return result
}

/** The type and content of the block for a part. Undefined if the part belongs into a text block. */
function contentFor(part: Pasted, fieldsets: Fieldsets): [Fieldset, Values] | undefined {
  const find = (preview: string, name: string) => kindIn(fieldsets, preview, name)
  switch (part.kind) {
    case 'heading': {
      const set = find('heading', 'text')
      return set && [set, { ...levelFor(part.level, set), text: conform(runsToHtml(part.runs), set.fields['text']!) }]
    }
    case 'list': {
      const set = find('list', 'text')
      return set && [set, { text: conform(listToHtml(part), set.fields['text']!) }]
    }
    case 'quote': {
      const set = find('quote', 'text')
      return set && [set, { text: conform(runsToHtml(part.runs), set.fields['text']!) }]
    }
    case 'code': {
      const set = find('code', 'code')
      return set && [set, { code: part.code, ...languageFor(part.language, set) }]
    }
    case 'table': {
      const set = find('table', 'table')
      return set && [set, { table: tableOf(part) }]
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

const imageKind = (fieldsets: Fieldsets) => kindIn(fieldsets, 'image', 'image')

/** An external picture is linked; an embedded one is uploaded, if the field allows uploads. */
function imageBlock({ src, alt }: Pasted & { kind: 'image' }, fieldsets: Fieldsets) {
  const set = imageKind(fieldsets)
  if (!set) return undefined
  const block = createBlock(set.type, fieldsets)
  const content = { ...block.content, ...('alt' in set.fields && { alt }) }
  const file = fileIn(src)
  if (file) return uploadsOf(set) === false ? undefined : { block: { ...block, content }, file }
  if (!/^https?:/i.test(src) || !('src' in set.fields) || !('location' in set.fields)) return undefined
  return { block: { ...block, content: { ...content, location: 'web', src } }, file: undefined }
}

/** The picture in a `data:` URL. */
function fileIn(src: string): File | undefined {
  const [, type, data] = /^data:(image\/[a-z0-9.+-]+)[^,]*;base64,(.*)$/is.exec(src) ?? []
  if (type === undefined || data === undefined) return undefined
  const extension = type.slice('image/'.length).replace(/\+.*$/, '').replace('jpeg', 'jpg')
  try {
    const bytes = Uint8Array.from(atob(data.replaceAll(/\s/g, '')), char => char.codePointAt(0)!)
    return new File([bytes], `picture.${extension}`, { type })
  } catch {
    return undefined
  }
}

/** Creates an image block for each file, to be filled in after the upload. */
export function pictureBlocks(files: readonly File[], fieldsets: Fieldsets): PictureBlock[] {
  const set = imageKind(fieldsets)
  if (!set || uploadsOf(set) === false) return []
  return files.map(file => ({ file, block: createBlock(set.type, fieldsets) }))
}

/** The `uploads` setting of the image field. */
export const uploadsOf = (set: Fieldset): unknown => set.fields['image']?.['uploads']

/** The content of an image block with an uploaded picture. */
export const withPicture = (entry: Values, set: Fieldset | undefined): Values => ({
  image: [entry],
  ...(set && 'location' in set.fields && { location: 'kirby' }),
})
