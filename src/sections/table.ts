import type { Section } from '../blueprints/blueprints.ts'
import { isMap } from '../blueprints/fields/stored.ts'
import { capital } from '../blueprints/settings.ts'
import { textFor } from '../pickers/texts.ts'
import type { Subject } from '../scope/scope.ts'
import { say } from '../translations/translations.ts'
import { textOf, type Viewer } from './viewer.ts'

const isTable = ({ layout }: Section) => layout === 'table'
const slim = 'var(--table-row-height)'

/** What every item has already. */
const taken = new Set(['flag', 'image', 'info', 'title'])
const idOf = (name: string) => (taken.has(name) ? `${name}Cell` : name)

const ownColumns = ({ columns }: Section) =>
  Object.entries(isMap(columns) ? columns : {}).filter(([, column]) => column !== false)

/** The columns of a table; none in other layouts. */
export async function columnsOf(viewer: Viewer, section: Section): Promise<Record<string, unknown>> {
  if (!isTable(section)) return {}
  const { language } = viewer.look.caller.user
  const own = ownColumns(section).map(async ([name, column]) => {
    const settings = isMap(column) ? column : {}
    const label = (await textOf(viewer, settings['label'])) ?? capital(name)
    return [idOf(name), { type: 'text', ...settings, label, id: name }] as const
  })
  return {
    ...(section['image'] !== false && { image: { label: ' ', mobile: true, type: 'image', width: slim } }),
    title: { label: say(language, 'section.table.title'), mobile: true, type: 'url' },
    ...(section['info'] !== undefined && { info: { label: say(language, 'section.table.info'), type: 'text' } }),
    ...Object.fromEntries(await Promise.all(own)),
    ...(section.type === 'pages' && { flag: { label: ' ', mobile: true, type: 'flag', width: slim } }),
  }
}

/** What one thing has in them. */
export async function cellsOf(
  viewer: Viewer,
  section: Section,
  thing: { subject: Subject; text: string; link: string; content: Readonly<Record<string, string>> },
): Promise<Record<string, unknown>> {
  if (!isTable(section)) return {}
  const own = ownColumns(section).map(async ([name, column]) => {
    const value = isMap(column) ? column['value'] : undefined
    const stored = Object.hasOwn(thing.content, name.toLowerCase()) ? thing.content[name.toLowerCase()] : ''
    return [idOf(name), (await textFor(viewer.look, value, thing.subject)) ?? stored] as const
  })
  return { title: { text: thing.text, href: thing.link }, ...Object.fromEntries(await Promise.all(own)) }
}
