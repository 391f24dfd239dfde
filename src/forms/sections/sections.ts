import type { z } from 'zod'
import type { Section } from '../../blueprints/blueprints.ts'
import type { InfoSettings, StatsSettings } from '../../blueprints/sections.ts'
import { capital } from '../../blueprints/settings.ts'
import { isList, isMap } from '../../blueprints/fields/stored.ts'
import { fail } from '../../platform/errors.ts'
import { type sortBody, sortByNames } from '../../groups/files/sorting.ts'
import { propsOfFields, type FieldProps } from './field.ts'
import { fileParentIn, showFiles } from './files.ts'
import { type SectionQuery, headlineOf } from './list.ts'
import { showPages } from './pages.ts'
import type { SectionContents, FieldsSection, InfoSection, ShownSection, StatsSection } from './view.ts'
import { htmlOf, runQuery, textOfSetting, type SectionContext } from './context.ts'

/** A section of a model with its contents, as far as the caller may see them. */
export async function showSection(context: SectionContext, name: string, query: SectionQuery): Promise<ShownSection> {
  const section = context.blueprint.sections.get(name)
  const common = { status: 'ok', code: 200, name } as const
  switch (section?.type) {
    case 'fields':
      return { ...common, type: 'fields', ...(await showFields(context, section)) }
    case 'files':
      return { ...common, type: 'files', ...(await showFiles(context, section, query)) }
    case 'info':
      return { ...common, type: 'info', ...(await showInfo(context, section)) }
    case 'pages':
      return { ...common, type: 'pages', ...(await showPages(context, section, query)) }
    case 'stats':
      return { ...common, type: 'stats', ...(await showStats(context, section)) }
    default:
      throw fail('section.notFound', { name: name.slice(0, 100) })
  }
}

/** Sorts files by filename list. The section only determines the parent of the files. */
export async function sortSection(
  context: SectionContext,
  name: string,
  body: z.output<typeof sortBody>,
): Promise<void> {
  const section = context.blueprint.sections.get(name)
  const { parent } = section?.type === 'files' ? await fileParentIn(context, section) : {}
  if (!parent) throw fail('section.notFound', { name: name.slice(0, 100) })
  await sortByNames(context.ctx, parent, body)
}

/** Without the title of a page or the site, which the panel edits elsewhere. */
async function showFields(context: SectionContext, { fields = {} }: Section): Promise<SectionContents<FieldsSection>> {
  const hasTitle = context.subject.kind === 'page' || context.subject.kind === 'site'
  const names = Object.keys(fields).map(name => name.toLowerCase())
  const shownNames = names.filter(name => !(hasTitle && name === 'title'))
  const described = new Map(
    shownNames.flatMap(name => {
      const field = context.blueprint.fields.get(name)
      return field ? [[name, field] as const] : []
    }),
  )
  const props = await propsOfFields(context, described)
  const notes = await notesIn(context, fields, new Set(Object.keys(props)))
  return {
    fields: Object.fromEntries(
      shownNames.flatMap(name => {
        const shown = props[name] ?? notes[name]
        return shown ? [[name, shown]] : []
      }),
    ),
  }
}

/** Fields with invalid settings are shown as info fields with the error. */
async function notesIn(
  context: SectionContext,
  fields: NonNullable<Section['fields']>,
  fieldNames: ReadonlySet<string>,
) {
  const notes: Record<string, FieldProps> = {}
  for (const [name, shown] of Object.entries(fields)) {
    const key = name.toLowerCase()
    if (fieldNames.has(key) || shown['type'] !== 'info') continue
    const { label, text, theme = null, width = '1/1' } = shown
    notes[key] = {
      hidden: false,
      label: (await textOfSetting(context, label)) ?? capital(name),
      name: key,
      saveable: false,
      text: await htmlOf(context, text),
      theme,
      type: 'info',
      width,
    }
  }
  return notes
}

async function showInfo(context: SectionContext, section: Section): Promise<SectionContents<InfoSection>> {
  const { icon = null, text, theme = null } = section as Section & InfoSettings
  return { icon, label: await headlineOf(context, section), text: await htmlOf(context, text), theme }
}

const maxReports = 50

async function showStats(context: SectionContext, section: Section): Promise<SectionContents<StatsSection>> {
  const { label, reports, size = 'large' } = section as Section & StatsSettings
  const list = typeof reports === 'string' ? await runQuery(context, reports) : reports
  const shown = (isList(list) ? list : []).filter(isMap).slice(0, maxReports)
  return {
    headline: await headlineOf(context, section),
    label: await textOfSetting(context, label),
    reports: await Promise.all(shown.map(report => reportOf(context, report))),
    size,
  }
}

async function reportOf(context: SectionContext, report: Readonly<Record<string, unknown>>) {
  const text = (name: string) => textOfSetting(context, report[name])
  return {
    icon: await text('icon'),
    info: await text('info'),
    label: await text('label'),
    link: await text('link'),
    theme: await text('theme'),
    value: await text('value'),
  }
}
