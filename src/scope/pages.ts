import { callable, textOf, type Value } from '../blueprints/query.ts'
import type { Subject } from '../content/collection.ts'
import { fileParent } from '../pages/files.ts'
import { childrenOf, draftsOf, hasChildren, parentOfPage, parentsOf, siblingsOf } from '../pages/related.ts'
import { blueprintOf, contentOf, ownerOf, titleOf } from '../pages/pages.ts'
import type { PageRow } from '../pages/queries.ts'
import { isError, isHome } from '../pages/rules.ts'
import { slugOf, urlOf } from '../pages/slugs/slugs.ts'
import { pageSubject } from '../pages/subject.ts'
import { fieldValues, found } from './fields.ts'
import { filesOf } from './files.ts'
import { type Kind, listValue, thingValue } from './lists.ts'
import type { World } from './world.ts'

export function pageKind(world: World): Kind<PageRow> {
  return {
    name: 'page',
    value: page => pageValue(world, page),
    subject: subjectIn(world),
    parts: {
      listed: ({ status }) => status === 'listed',
      unlisted: ({ status }) => status === 'unlisted',
      published: ({ status }) => status !== 'draft',
      drafts: ({ status }) => status === 'draft',
    },
  }
}

/** What a page has besides its content stands before fields of the same name. */
function pageValue(world: World, page: PageRow): Value {
  const { look } = world.reach
  const { app } = look
  const { path, status, num, template, uuid } = page
  const blueprint = blueprintOf(app, page)
  const content = fieldValues(world, blueprint.fields, contentOf(app, page))
  return {
    ...content,
    ...familyOf(world, page),
    ...filesOf(world, fileParent(page, app)),
    content,
    depth: path.split('/').length,
    id: path,
    intendedTemplate: template,
    isDraft: status === 'draft',
    isErrorPage: isError(app, page),
    isHomePage: isHome(app, page),
    isListed: status === 'listed',
    isPublished: status !== 'draft',
    isUnlisted: status === 'unlisted',
    num,
    slug: callable(() => slugOf(look, page)),
    status,
    template,
    title: titleOf(app, page),
    url: callable(() => urlOf(look, page)),
    uuid: ownerOf(uuid),
  }
}

function familyOf(world: World, page: PageRow): Record<string, Value> {
  const { look } = world.reach
  return {
    ...childrenIn(world, page),
    find: callable(id => found(world, 'page', [`${page.path}/${textOf(id)}`])),
    parent: callable(async () => {
      const parent = await world.reach.read(`parent ${page.uuid}`, () => parentOfPage(look, page))
      return parent ? thingValue(world.kinds.page, parent) : world.site()
    }),
    parents: callable(() =>
      listValue(world.kinds.page, () => world.reach.read(`parents ${page.uuid}`, () => parentsOf(look, page))),
    ),
    siblings: callable(() =>
      listValue(world.kinds.page, () => world.reach.read(`children ${page.parent}`, () => siblingsOf(look, page))),
    ),
  }
}

/** Of a page, or those at the top. Each list is read when something is asked of it. */
export function childrenIn({ reach, kinds }: World, { uuid }: { uuid: string }): Record<string, Value> {
  const { look } = reach
  const children = () => reach.read(`children ${uuid}`, () => childrenOf(look, { uuid }))
  const drafts = () => reach.read(`drafts ${uuid}`, () => draftsOf(look, { uuid }))
  return {
    children: callable(() => listValue(kinds.page, children)),
    childrenAndDrafts: callable(() => listValue(kinds.page, async () => [...(await children()), ...(await drafts())])),
    drafts: callable(() => listValue(kinds.page, drafts)),
    hasChildren: callable(() => reach.read(`has ${uuid}`, () => hasChildren(look, { uuid }))),
  }
}

/** All of it is text, so that what a blueprint writes is compared with what is stored. */
function subjectIn({ reach }: World): Subject<PageRow> {
  const subject = pageSubject(reach.look.app)
  return {
    ...subject,
    field(page, name) {
      const value = subject.field(page, name)
      return value === undefined || value === null ? value : String(value)
    },
  }
}
