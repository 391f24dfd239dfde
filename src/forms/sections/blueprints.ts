import type { App } from '../../app.ts'
import type { Blueprint, Section } from '../../blueprints/blueprints.ts'
import { isMap } from '../../blueprints/fields/stored.ts'
import type { RequestContext } from '../../http/context.ts'
import { canViewPage } from '../../access/authorize/pages.ts'
import { inLanguage } from '../../platform/translations/translations.ts'
import { namesInSetting } from '../../groups/pages/rules.ts'

/** Templates for new pages in a section: those it names, or else all; without `templatesIgnore`. */
export function templatesOf({ blueprints }: App, { create, template, templates, templatesIgnore }: Section): string[] {
  const all = blueprints.templates('pages')
  const named = isMap(create) || typeof create === 'boolean' ? [] : namesInSetting(create)
  const listed = named.length > 0 ? named : namesInSetting(templates ?? template)
  const ignored = namesInSetting(templatesIgnore)
  return (listed.length > 0 ? listed.filter(name => all.includes(name)) : [...all]).filter(
    name => !ignored.includes(name),
  )
}

/** Templates for new pages in one section, or in all sections. Undefined if the section does not exist. */
export function templatesIn(app: App, { sections }: Blueprint, name: string | undefined): string[] | undefined {
  const chosen = name === undefined ? [...sections.values()] : [sections.get(name)].filter(one => one !== undefined)
  if (name !== undefined && chosen.length === 0) return undefined
  const lists = chosen.filter(({ type }) => type === 'pages')
  return [...new Set(lists.flatMap(section => templatesOf(app, section)))]
}

/** `[{ name, title }]` without an envelope, as clients expect. */
export function showTemplates(ctx: RequestContext, templates: readonly string[]) {
  const visible = templates.filter(template => canViewPage(ctx, { template }))
  return visible.map(name => ({
    name,
    title: inLanguage(ctx.app.blueprints.page(name).title, ctx.locale),
  }))
}
