import type { EventMessage } from '../../../access/audit/subscriptions.ts'
import type { App } from '../../../app.ts'
import { tagOf, tagOfAll, tagOfAny, tagOfSite } from '../../../http/tags.ts'
import { tagOfChildren, tagsOfPlace } from '../../pages/tags.ts'
import { parentOf } from '../../pages/tree/lock.ts'

/** Of one purge. Beyond it everything is purged. */
const maxTags = 500

/** The tags of all answers that the events concern, as they were before and as they are after. */
export function tagsOfEvents(app: App, events: readonly EventMessage[]): string[] {
  const tags = new Set(events.flatMap(event => tagsOfEvent(app, event)))
  return tags.has(tagOfAll) || tags.size > maxTags ? [tagOfAll] : [...tags]
}

function tagsOfEvent(app: App, { type, data }: EventMessage): string[] {
  const [kind] = type.split('.')
  if (kind === 'page') return tagsOfPageEvent(app, type, data)
  if (kind === 'file') return [tagOfAny, ...[data['parent'], data['oldParent'] ?? data['parent']].flatMap(tagsOfOwner)]
  if (type === 'site.changed') return [tagOfAny, tagOfSite]
  // Anonymous clients see neither accounts nor the trash.
  if (kind === 'user' || kind === 'trash') return []
  return type.startsWith('language.') || type.startsWith('site.') ? [tagOfAll] : [tagOfAny]
}

function tagsOfPageEvent({ blueprints }: App, type: string, data: EventMessage['data']): string[] {
  const { uuid, path, oldPath, template, oldTemplate, what } = data
  const tags = [tagOfAny, ...tagsOfOwner(uuid)]
  const paths = [path, oldPath].filter(text => typeof text === 'string')
  const isContentOnly = type === 'page.published' || (type === 'page.changed' && what === undefined)
  if (!isContentOnly) tags.push(...paths.flatMap(tagsOfPlace))
  // The number of the page, and with it the order of its siblings, may come from its content.
  else if (typeof template !== 'string' || blueprints.page(template).num !== 'default')
    tags.push(...paths.map(text => tagOfChildren(parentOf(text))))
  if (what === 'template')
    for (const name of [template, oldTemplate]) if (typeof name === 'string') tags.push(tagOf('template', name))
  return tags
}

/** `page://a1` → `page-a1` */
function tagsOfOwner(owner: unknown): string[] {
  if (typeof owner !== 'string') return [tagOfAll]
  const [kind, id = ''] = owner.split('://')
  if (kind === 'page') return [tagOf('page', id)]
  return kind === 'site' ? [tagOfSite] : []
}
