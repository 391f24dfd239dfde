import type { App } from '../../app.ts'
import { Message } from '../../platform/texts.ts'
import { selectSiteContents } from './queries.ts'

/** The titles of the site in all languages, from its content and its blueprint. Passwords may not contain them. */
export async function siteTitles({ store, blueprints }: App): Promise<string[]> {
  const contents = await selectSiteContents(store)
  const written = contents.map(({ data }) => (JSON.parse(data) as Record<string, unknown>)['title'])
  const { title } = blueprints.site()
  const described = title instanceof Message ? [] : typeof title === 'string' ? [title] : Object.values(title)
  return [...written, ...described].filter(one => typeof one === 'string')
}
