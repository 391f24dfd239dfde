import { tagOf, tagOfSite } from '../../http/tags.ts'
import type { PageRow } from './queries.ts'
import { ancestorsOf, parentOf } from './tree/lock.ts'

/**
 * The cache tags of an answer that shows a page. Its number depends on its siblings (`parent-…`), its address on all
 * pages above.
 */
export const tagsOfPage = ({
  uuid,
  path,
  template,
}: Pick<PageRow, 'uuid' | 'path'> & { template?: string }): string[] => [
  tagOf('page', uuid),
  ...(template === undefined ? [] : [tagOf('template', template)]),
  tagOfChildren(parentOf(path)),
  ...ancestorsOf(path)
    .slice(0, -1)
    .map(above => tagOf('below', above)),
]

/** Of answers that show pages below this one, or how many there are. `''` is the top of the site. */
export const tagOfChildren = (path: string) => tagOf('parent', path === '' ? tagOfSite : path)

/**
 * What a change of the tree concerns: the page, its siblings and all pages below. Called with the path of before and
 * with that of after.
 */
export const tagsOfPlace = (path: string): string[] => [
  tagOfChildren(parentOf(path)),
  tagOfChildren(path),
  tagOf('below', path),
]
