import { isMap } from '../blueprints/fields/stored.ts'
import { offeredBy } from '../blueprints/fields/options.ts'
import type { Field } from '../blueprints/fields/field.ts'
import { fillIn, type Scope, type Value } from '../blueprints/query.ts'
import { scopeOf } from '../scope/scope.ts'
import { thingsIn } from '../scope/lists.ts'
import { textOf, queried, type Viewer } from './viewer.ts'

interface Shown {
  disabled: boolean
  icon: string | null
  info: string | null
  text: string
  value: string
}

type Setting = Parameters<typeof offeredBy>[0]['options']

const most = 1000

/** What a field offers: what the blueprint lists, or what its query finds. Nothing is fetched from other addresses. */
export async function optionsOf(viewer: Viewer, field: Field): Promise<Shown[]> {
  const setting = field['options'] as Setting
  const offered = offeredBy({ ...field, options: setting })
  if (!offered) return dynamic(viewer, setting)
  return Promise.all(
    offered.options.map(async ({ value, text, disabled, icon = null, info }) => ({
      disabled,
      icon,
      info: info === undefined ? null : await textOf(viewer, info),
      text: (await textOf(viewer, text)) ?? value,
      value,
    })),
  )
}

/** Without texts of its own an option is called as the thing is, and has what refers to it as its value. */
const usual = {
  page: { text: '{{ page.title }}', value: '{{ page.uuid }}' },
  file: { text: '{{ file.filename }}', value: '{{ file.uuid }}' },
  user: { text: '{{ user.username }}', value: '{{ user.email }}' },
  item: { text: '{{ item }}', value: '{{ item }}' },
}

async function dynamic(viewer: Viewer, setting: Setting): Promise<Shown[]> {
  const given: Readonly<Record<string, unknown>> = isMap(setting) ? setting : { query: setting }
  const { query: source, text, value } = given
  if (given['type'] === 'api' || typeof source !== 'string') return []
  const result = await queried(viewer, source)
  const things = (await thingsIn(result)) ?? itemsIn(result)
  const scope = scopeOf(viewer.ctx, viewer.subject)
  return Promise.all(
    things.slice(0, most).map(async ({ kind, value: item }) => {
      const inner: Scope = { ...scope, [kind]: item, item }
      const filled = (template: unknown, otherwise: string) =>
        fillIn(typeof template === 'string' ? template : otherwise, inner)
      const called = await filled(text, usual[kind].text)
      return { disabled: false, icon: null, info: null, text: called, value: await filled(value, usual[kind].value) }
    }),
  )
}

function itemsIn(result: Value): { kind: 'item'; value: Value }[] {
  return (Array.isArray(result) ? (result as Value[]) : []).map(value => ({ kind: 'item', value }))
}
