import type { Status } from '../../blueprints/blueprints.ts'
import { toSlug } from '../../platform/lib/slug.ts'
import { type FolderContents, type ImportContext, readModel } from './folder.ts'
import { note, skip } from './report.ts'

/**
 * The place of a page. It is filled in when the page is written, and its children read it then. The root is known from
 * the start.
 */
export interface Node {
  uuid: string
  path: string
  /** The page was not imported, so its descendants are not imported either. */
  isMissing: boolean
}

export interface FoundPage extends Omit<FolderContents, 'template' | 'folders'> {
  file: string
  node: Node
  parent: Node
  slug: string
  status: Status
  num: number | null
  template: string
}

const maxDepth = 50
const drafts = '_drafts'
const templatePattern = /^[\w][\w.-]{0,99}$/

interface FolderStep {
  path: string
  name: string
  isDraft: boolean
  parent: Node
  depth: number
}

/** Yields all pages below `content`, each after its parent. `top` is what was read of `content` itself. */
export function* readPages(ctx: ImportContext, top: FolderContents): Generator<FoundPage> {
  const root: Node = { uuid: '', path: '', isMissing: false }
  const steps = stepsIn(ctx, top, root, 1)
  for (let step = steps.pop(); step; step = steps.pop()) {
    const found = readModel(ctx, step.path)
    const page = pageOf(ctx, step, found)
    if (page) yield page
    const node = page?.node ?? { uuid: '', path: '', isMissing: true }
    steps.push(...stepsIn(ctx, found, node, step.depth + 1))
  }
}

/** In reverse order: the steps are a stack. */
function stepsIn(
  { source, report }: ImportContext,
  { folders }: FolderContents,
  parent: Node,
  depth: number,
): FolderStep[] {
  const steps: FolderStep[] = []
  const add = (entries: FolderContents['folders'], isDraft: boolean) => {
    for (const { name, path } of entries) {
      if (/^[._]/.test(name)) skip(report, path, 'folders of this name are not imported')
      else if (depth > maxDepth) skip(report, path, 'this is nested too deeply')
      else steps.push({ path, name, isDraft, parent, depth })
    }
  }
  add(
    folders.filter(({ name }) => name !== drafts),
    false,
  )
  const below = folders.find(({ name }) => name === drafts)
  const inside = below ? source.list(below.path) : []
  for (const { path, isFolder } of inside) if (!isFolder) skip(report, path, 'a draft is a folder')
  add(
    inside.filter(({ isFolder }) => isFolder),
    true,
  )
  return steps.toReversed()
}

function pageOf({ report, languages }: ImportContext, step: FolderStep, found: FolderContents): FoundPage | undefined {
  const { path: file, name, isDraft, parent } = step
  const underscore = name.indexOf('_')
  const folderName = name.slice(underscore + 1)
  const slug = toSlug(folderName, [...languages.values()].find(({ key, fallback }) => key === fallback)?.slugs)
  if (slug === '') {
    skip(report, file, 'there is no letter and no digit in its name')
    return undefined
  }
  if (slug !== folderName) note(report, file, `it is called ${slug} now`)
  const num = underscore < 0 || isDraft ? null : numberIn(name.slice(0, underscore))
  const { template = 'default', texts, files } = found
  const isValid = templatePattern.test(template)
  if (!isValid) note(report, file, 'its template has an impossible name; it is default now')
  return {
    file,
    node: { uuid: '', path: '', isMissing: true },
    parent,
    slug,
    num,
    status: isDraft ? 'draft' : num === null ? 'unlisted' : 'listed',
    template: isValid ? template.toLowerCase() : 'default',
    texts,
    files,
  }
}

/** The number before the underscore; 0 if it is not a number. */
const numberIn = (text: string) => Math.min(Number(/^\s*\d+/.exec(text)?.[0] ?? 0), Number.MAX_SAFE_INTEGER)
