import type { App } from '../app.ts'
import type { PermissionTarget } from '../access/authorize/authorize.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import type { RequestContext } from '../http/context.ts'
import type { Selection, View } from '../http/view.ts'
import { type Expected, expectedRevision, withCurrentOnConflict, sendRevision } from './revision.ts'
import type { Model } from './save.ts'
import { refuseUnknown, type Strict } from './strict.ts'
import type { Versioned } from './versioned.ts'
import { visibleReferences } from './visible.ts'

interface Resource<Target, Row, Shown> {
  view: View<Row, Shown>
  /** The target of a request as a content model. */
  modelOf: (app: App, target: Target) => Model
  /** Reads the current row; 404 if it was deleted. */
  reload: (ctx: RequestContext, target: Target) => Promise<Row>
  revisionOf: (row: Row) => number
}

export interface ChangeRequest<Target> {
  ctx: RequestContext
  exchange: HttpExchange
  target: Target
  query?: (Selection & { strict?: Strict }) | undefined
}

/** What the endpoints of pages, files, accounts and the site have in common, those for drafts and versions included. */
export function contentResource<Target, Row, Shown>(resource: Resource<Target, Row, Shown>) {
  const { view, modelOf, reload, revisionOf } = resource

  /** The current state. */
  async function show(ctx: RequestContext, target: Target, query?: Selection) {
    return view.show(ctx, await reload(ctx, target), query)
  }

  /** The sent content with what a change of it needs; refuses unknown fields if the request has `strict`. */
  async function readChange({ ctx, target, query }: ChangeRequest<Target>, sent: Readonly<Record<string, unknown>>) {
    const model = modelOf(ctx.app, target)
    if (query?.strict !== undefined) await refuseUnknown(ctx, query.strict, model, sent)
    return { sent, language: await ctx.language(), shownReferences: await visibleReferences(ctx, model, sent) }
  }

  /**
   * Runs the change and responds with the updated state. A caller with an outdated revision gets the current state with
   * the 412. The change may return the updated row, which is then not read again.
   */
  async function respondWithUpdated(
    { ctx, exchange, target, query }: ChangeRequest<Target>,
    bodyRevision: number | undefined,
    change: (expected: Expected) => Promise<number | { row?: Row }>,
  ) {
    const changed = await withCurrentOnConflict(
      () => change(expectedRevision(exchange, bodyRevision)),
      () => show(ctx, target),
    )
    const row = (typeof changed === 'object' ? changed.row : undefined) ?? (await reload(ctx, target))
    sendRevision(exchange, revisionOf(row))
    return view.show(ctx, row, query)
  }

  /** The target for the endpoints of its drafts and versions. */
  function versioned(
    ctx: RequestContext,
    target: Target & PermissionTarget,
    operations: Pick<Versioned, 'contentIn' | 'lock' | 'ruled' | 'update'>,
  ): Versioned {
    return { ...target, ...operations, model: modelOf(ctx.app, target), show: () => show(ctx, target) }
  }

  return { show, readChange, respondWithUpdated, versioned }
}
