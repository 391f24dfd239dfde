import type { App } from '../../app.ts'
import type { Accept, FileBlueprint, Form } from '../../blueprints/blueprints.ts'
import { type Fields, builtInTypeOf } from '../../blueprints/fields/field.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import { type ApiError, fail } from '../../platform/errors.ts'
import { message, Message } from '../../platform/texts.ts'
import { fileBlueprintOf } from './blueprint.ts'
import type { FileRow } from './queries.ts'
import { niceSize } from './size.ts'
import { mimeOf } from './types.ts'

/** The properties that the rules check. */
export type CheckedFile = Pick<FileRow, 'filename' | 'extension' | 'type' | 'mime' | 'size' | 'width' | 'height'>

const executable =
  /^(?:exe|com|bat|cmd|msi|scr|pif|vbs?|wsf|jar|sh|bash|ps1|app|dll|so|cgi|pl|asp|aspx|jsp|jspx|shtml|xhtml|xht|mht|mhtml|hta|svgz)$/

/** Refused under every blueprint: servers may execute such files, and browsers render them as pages of this origin. */
export function extensionMustBeHarmless(filename: string, extension: string): void {
  if (extension === '') throw fail('file.extension.missing', { filename })
  // Sites in text files store contents as `.txt`.
  if (/php|phar|pht|htm/.test(extension) || executable.test(extension) || extension === 'txt')
    throw fail('file.extension.forbidden', { extension })
}

export function mimeMustBeHarmless(filename: string, mime: string | undefined): asserts mime is string {
  if (mime === undefined) throw fail('file.mime.missing', { filename })
  if (/php/.test(mime) || harmfulTypes.has(mime)) throw fail('file.mime.forbidden', { mime })
}

const harmfulTypes = new Set([
  'text/html',
  'application/xhtml+xml',
  'application/x-msdownload',
  'application/x-elf',
  'application/x-mach-binary',
  'application/java-vm',
  'application/x-sh',
  'text/x-shellscript',
])

export function nameMustBePossible(base: string): void {
  if (base === '' || base.startsWith('.')) throw fail('file.name.missing')
}

/** The reason why the blueprint refuses a file; undefined if it accepts it. */
export function problemWith(
  { accept }: Pick<FileBlueprint, 'accept'>,
  file: CheckedFile,
  language = 'en',
): ApiError | undefined {
  const { mime, extension, type } = accept
  // For plain text the extension may be more specific than the bytes; for all other files only the bytes count.
  const kinds = [file.mime, (file.mime === 'text/plain' && mimeOf(file.extension)) || file.mime]
  if (mime && !mime.some(pattern => kinds.some(kind => isLike(kind, pattern))))
    return fail('file.mime.invalid', { mime: file.mime })
  if (extension && !extension.includes(file.extension))
    return fail('file.extension.invalid', { extension: file.extension })
  if (type && !type.includes(file.type ?? '')) return fail('file.type.invalid', { type: typeNamed(file) })
  return sizeProblem(accept, file, language) ?? dimensionProblem(accept, file)
}

/** Matches wildcards: `image/*` matches every image. */
export function isLike(mime: string, pattern: string): boolean {
  if (!pattern.includes('*')) return mime === pattern
  const [start, end] = pattern.split('*', 2) as [string, string]
  return mime.length >= start.length + end.length && mime.startsWith(start) && mime.endsWith(end)
}

function sizeProblem({ minsize, maxsize }: Accept, { size }: CheckedFile, language: string): ApiError | undefined {
  if (minsize !== undefined && size < minsize) return fail('file.minsize', { min: niceSize(minsize, language) })
  if (maxsize !== undefined && size > maxsize) return fail('file.maxsize', { max: niceSize(maxsize, language) })
  return undefined
}

/** Files without known dimensions are not checked. */
function dimensionProblem(accept: Accept, { width, height }: CheckedFile): ApiError | undefined {
  if (width === null || height === null) return undefined
  const { minwidth, maxwidth, minheight, maxheight, orientation } = accept
  if (minwidth !== undefined && width < minwidth) return fail('file.minwidth', { min: String(minwidth) })
  if (maxwidth !== undefined && width > maxwidth) return fail('file.maxwidth', { max: String(maxwidth) })
  if (minheight !== undefined && height < minheight) return fail('file.minheight', { min: String(minheight) })
  if (maxheight !== undefined && height > maxheight) return fail('file.maxheight', { max: String(maxheight) })
  if (orientation !== undefined && orientationOf(width, height) !== orientation)
    return fail('file.orientation', { orientation: message(`orientation.${orientation}`) })
  return undefined
}

/** The type as text for users; without one, the extension. */
export function typeNamed({ type, extension }: Pick<FileRow, 'type' | 'extension'>): string | Message {
  return type === null ? extension : new Message(`type.${type}`)
}

export function orientationOf(width: number, height: number): 'landscape' | 'portrait' | 'square' | false {
  if (width === 0 || height === 0) return false
  return width > height ? 'landscape' : width < height ? 'portrait' : 'square'
}

export function nameMustBeFree({ uuid }: FileRow, filename: string, there: FileRow | undefined): void {
  if (there && there.uuid !== uuid) throw fail('file.duplicate', { filename })
}

type FileForm = Pick<Form, 'sections' | 'fields'>

/**
 * The templates that a file can be changed to, its current one first if it has a blueprint: those that its blueprint
 * offers, and those that the sections and fields of its parent use.
 */
export function templatesFor(app: App, file: FileRow, form: FileForm): string[] {
  const today = file.template ?? 'default'
  const existing = app.blueprints.templates('files')
  const offered = [...fileBlueprintOf(app, file).changeTemplate, ...acceptedIn(form)].filter(
    template =>
      template !== today &&
      existing.includes(template) &&
      (template === 'default' || !problemWith(app.blueprints.file(template), file)),
  )
  return [...(existing.includes(today) ? [today] : []), ...new Set(offered)]
}

const accepted = new WeakMap<FileForm, readonly string[]>()

/** Cached as long as the blueprint exists. */
function acceptedIn(form: FileForm): readonly string[] {
  let templates = accepted.get(form)
  if (!templates) {
    const lists = [...form.sections.values()].filter(({ type }) => type === 'files')
    const inSections = lists.map(({ template }) => (typeof template === 'string' ? template : 'default'))
    accepted.set(form, (templates = [...new Set([...inSections, ...acceptedByFields(form.fields)])]))
  }
  return templates
}

/** The templates for uploads into fields, including nested ones. */
function acceptedByFields(fields: Fields): string[] {
  return [...fields.values()].flatMap(field => {
    const { uploads, fields: inner, fieldsets } = field as { uploads?: unknown; fields?: unknown; fieldsets?: unknown }
    if (field.type === 'files' || builtInTypeOf(field) === 'textarea') return templateOfUploads(uploads)
    if (inner instanceof Map) return acceptedByFields(inner as Fields)
    if (!(fieldsets instanceof Map)) return []
    return [...(fieldsets as Map<string, { fields: Fields }>).values()].flatMap(set => acceptedByFields(set.fields))
  })
}

function templateOfUploads(uploads: unknown): string[] {
  if (uploads === false) return []
  const template = isMap(uploads) ? uploads['template'] : uploads
  return [typeof template === 'string' ? template : 'default']
}

export function mustMatchTemplate(app: App, file: FileRow, form: FileForm, template: string): void {
  if (!templatesFor(app, file, form).includes(template)) throw fail('file.changeTemplate.invalid', { template })
}

const templateForm = /^[a-z0-9][a-z0-9_/-]{0,99}$/

/** Validates the template of a new file. One without a blueprint is treated as `default`. */
export function templateMustBePossible(requested: string | undefined): string | null {
  if (requested === undefined || requested === '') return null
  const template = requested.toLowerCase()
  if (!templateForm.test(template)) throw fail('file.changeTemplate.invalid', { template: requested.slice(0, 100) })
  return template
}
