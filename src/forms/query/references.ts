import { previewedRelease } from '../../access/actor.ts'
import { statusIn } from '../../access/preview/release.ts'
import { visibleAccounts } from '../../access/authorize/accounts.ts'
import { selectByUuid, selectFilesOf } from '../../groups/files/queries.ts'
import type { FileModel } from '../../groups/files/target.ts'
import type { RequestContext } from '../../http/context.ts'
import { parseEmail } from '../../platform/lib/email.ts'
import { canBeId, ownerOfPage, uuidIn } from '../../groups/pages/pages.ts'
import { type PageRow, selectByPaths, selectByUuids } from '../../groups/pages/queries.ts'
import { visibleOf } from '../../groups/pages/visible.ts'
import { withParents } from '../../groups/site/all-files/parents.ts'
import { siteOwner } from '../../groups/site/site.ts'
import { selectReferred } from '../../groups/users/listing/queries.ts'
import { ownerOfUser, type UserRow } from '../../groups/users/users.ts'

/** Maximum number of references that are resolved at once. */
const maxReferences = 1000

const validReferences = (references: readonly string[]) =>
  [...new Set(references.filter(canBeId))].slice(0, maxReferences)

/** Reference → target. Without deleted targets, and those that the caller may not see. */
export type TargetsByReference<Row> = Map<string, Row>

// ---- pages

/** Resolves `page://…`, `@…` and ids: one statement for uuids, one for ids. */
export async function resolvePages(
  ctx: RequestContext,
  references: readonly string[],
): Promise<TargetsByReference<PageRow>> {
  const parsed = validReferences(references).map(reference => ({ reference, uuid: uuidIn(reference) }))
  const language = await ctx.language()
  const { store } = ctx.app
  const [byUuid, byPath] = await Promise.all([
    selectByUuids(
      store,
      language,
      parsed.flatMap(({ uuid }) => uuid ?? []),
    ),
    selectByPaths(
      store,
      language,
      parsed.flatMap(({ reference, uuid }) => (uuid === undefined ? reference : [])),
    ),
  ])
  // Anonymous clients see unlisted pages by their address only, never by references to them.
  const isListed = (page: PageRow) =>
    !ctx.actor.isAnonymous ||
    statusIn(previewedRelease(ctx.actor), page) === 'listed' ||
    (ctx.listsDrafts && page.status === 'draft')
  const visible = await visibleOf(ctx, [...byUuid, ...byPath].filter(isListed))
  const uuids = new Map(visible.map(page => [page.uuid, page]))
  const paths = new Map(visible.map(page => [page.path, page]))
  return new Map(
    parsed.flatMap(({ reference, uuid }): [string, PageRow][] => {
      const page = uuid === undefined ? paths.get(reference) : uuids.get(uuid)
      return page ? [[reference, page]] : []
    }),
  )
}

// ---- accounts

/** Resolves `user://…`, ids and email addresses. */
export async function resolveUsers(
  ctx: RequestContext,
  references: readonly string[],
): Promise<TargetsByReference<UserRow>> {
  const parsed = validReferences(references).map(reference => ({ reference, key: keyOf(reference) }))
  if (parsed.length === 0) return new Map()
  const rows = await selectReferred(ctx.app.store, visibleAccounts(ctx), [...new Set(parsed.map(({ key }) => key))])
  const found = new Map(rows.flatMap(row => [row.id, row.email_key].map(key => [key, row] as const)))
  return new Map(
    parsed.flatMap(({ reference, key }): [string, UserRow][] => {
      const user = found.get(key)
      return user ? [[reference, user]] : []
    }),
  )
}

function keyOf(reference: string): string {
  const text = reference.replace(/^user:\/\//, '')
  return parseEmail(text)?.key ?? text
}

// ---- files

/**
 * Resolves `file://…`, or the id of the parent and the filename: `exhibits/coast.jpg`. A filename alone is a file of
 * the `owner` of the reference, or else of the site.
 */
export async function resolveFiles(
  ctx: RequestContext,
  references: readonly string[],
  owner?: string,
): Promise<TargetsByReference<FileModel>> {
  const parsed = validReferences(references).map(reference => ({
    reference,
    uuid: /^file:\/\/([\w-]+)$/.exec(reference)?.[1],
  }))
  const named = await ownersOf(
    ctx,
    parsed.filter(({ uuid }) => uuid === undefined),
    owner,
  )
  const owners = [...new Set([...named.values()].flatMap(({ owners: parents }) => parents))]
  const { store } = ctx.app
  const [byUuid, byOwner] = await Promise.all([
    selectByUuid(
      store,
      parsed.flatMap(({ uuid }) => uuid ?? []),
    ),
    owners.length === 0 ? [] : selectFilesOf(store, owners),
  ])
  const models = await withParents(ctx, [...byUuid, ...byOwner], owner)
  const uuids = new Map(models.map(model => [model.file.uuid, model]))
  const names = new Map(models.map(model => [`${model.file.parent} ${model.file.name_key}`, model]))
  return new Map(
    parsed.flatMap(({ reference, uuid }): [string, FileModel][] => {
      const { owners: parents = [], name = '' } = named.get(reference) ?? {}
      const model =
        uuid === undefined
          ? parents.map(one => names.get(`${one} ${name}`)).find(found => found !== undefined)
          : uuids.get(uuid)
      return model ? [[reference, model]] : []
    }),
  )
}

interface FileName {
  /** Possible parents of the file, in order of preference. */
  owners: string[]
  name: string
}

async function ownersOf(
  ctx: RequestContext,
  parsed: { reference: string }[],
  own = siteOwner,
): Promise<Map<string, FileName>> {
  const parts = parsed.map(({ reference }) => {
    const at = reference.lastIndexOf('/')
    return { reference, place: reference.slice(0, Math.max(at, 0)), name: reference.slice(at + 1).toLowerCase() }
  })
  const pages = await resolvePages(
    ctx,
    parts.flatMap(({ place }) => place || []),
  )
  return new Map(
    parts.map(({ reference, place, name }) => {
      const page = pages.get(place)
      const owners = place === '' ? [own, siteOwner] : page ? [ownerOfPage(page.uuid)] : [ownerOfUser(place)]
      return [reference, { owners, name }]
    }),
  )
}
