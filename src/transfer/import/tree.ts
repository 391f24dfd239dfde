import type { Status } from '../../blueprints/blueprints.ts'
import { isDefault } from '../../content/languages/languages.ts'
import { toSlug } from '../../platform/lib/slug.ts'
import { entriesIn, type FolderContents, type ImportContext, readModel } from './folder.ts'
import { note, skip } from './report.ts'

/**
 * The place of a page on the site. It is filled in by `resolvePages` (pages.ts), which resolves a page before its
 * children, because they read it. The root is known from the start.
 */
export interface PagePlace {
  uuid: string
  path: string
  /** True until the page is resolved, and afterwards if it is not imported: its descendants are then not imported either. */
  isMissing: boolean
}

export interface SourcePage extends Omit<FolderContents, 'template' | 'folders'> {
  file: string
  node: PagePlace
  parent: PagePlace
  slug: string
  status: Status
  num: number | null
  template: string
}

const maxDepth = 50
const drafts = '_drafts'
const templatePattern = /^[\w][\w.-]{0,99}$/

interface PendingFolder {
  path: string
  name: string
  isDraft: boolean
  parent: PagePlace
  depth: number
}

/** Yields all pages below `content`, each after its parent. `top` is what was read of `content` itself. */
export function* readPages(ctx: ImportContext, top: FolderContents): Generator<SourcePage> {
  const root: PagePlace = { uuid: '', path: '', isMissing: false }
  const stack = foldersBelow(ctx, top, root, 1)
  for (let folder = stack.pop(); folder; folder = stack.pop()) {
    const found = readModel(ctx, folder.path)
    const page = pageOf(ctx, folder, found)
    if (page) yield page
    const node = page?.node ?? { uuid: '', path: '', isMissing: true }
    stack.push(...foldersBelow(ctx, found, node, folder.depth + 1))
  }
}

/** In reverse order, for the stack. */
function foldersBelow(
  ctx: ImportContext,
  { folders }: FolderContents,
  parent: PagePlace,
  depth: number,
): PendingFolder[] {
  const { report } = ctx
  const pending: PendingFolder[] = []
  const add = (entries: FolderContents['folders'], isDraft: boolean) => {
    for (const { name, path } of entries) {
      if (/^[._]/.test(name)) skip(report, path, 'folders of this name are not imported')
      else if (depth > maxDepth) skip(report, path, `nested more than ${maxDepth} levels deep`)
      else pending.push({ path, name, isDraft, parent, depth })
    }
  }
  add(
    folders.filter(({ name }) => name !== drafts),
    false,
  )
  const below = folders.find(({ name }) => name === drafts)
  const inside = below ? entriesIn(ctx, below.path) : []
  for (const { path, isFolder } of inside) if (!isFolder) skip(report, path, '`_drafts` may contain folders only')
  add(
    inside.filter(({ isFolder }) => isFolder),
    true,
  )
  return pending.toReversed()
}

function pageOf(
  { report, languages }: ImportContext,
  folder: PendingFolder,
  found: FolderContents,
): SourcePage | undefined {
  const { path: file, name, isDraft, parent } = folder
  const underscore = name.indexOf('_')
  const folderName = name.slice(underscore + 1)
  const slug = toSlug(folderName, [...languages.values()].find(isDefault)?.slugs)
  if (slug === '') {
    skip(report, file, 'no slug is possible: the name of the folder has no letter or digit')
    return undefined
  }
  if (slug !== folderName) note(report, file, `the slug is now "${slug}"`)
  const num = underscore < 0 || isDraft ? null : numberIn(name.slice(0, underscore))
  const { template = 'default', texts, files } = found
  const isValid = templatePattern.test(template)
  if (!isValid) note(report, file, `invalid template name "${template}": "default" is used instead`)
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
