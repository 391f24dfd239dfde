import type { z } from 'zod'
import type { Section } from '../../blueprints/blueprints.ts'
import type { InfoSettings, StatsSettings } from '../../blueprints/sections.ts'
import { capital } from '../../blueprints/settings.ts'
import { isList, isMap } from '../../blueprints/fields/stored.ts'
import { fail } from '../../platform/errors.ts'
import { type sortBody, sortByNames } from '../../groups/files/sorting.ts'
import { allProps, type Props } from './field.ts'
import { fileParentIn, showFiles } from './files.ts'
import { type SectionQuery, headlineOf } from './list.ts'
import { showPages } from './pages.ts'
import type { SectionContents, FieldsSection, InfoSection, ShownSection, StatsSection } from './view.ts'
import { htmlOf, runQuery, textOfSetting, type Viewer } from './viewer.ts'

/** A section of a model with its contents, as far as the caller may see them. */
export async function showSection(viewer: Viewer, name: string, query: SectionQuery): Promise<ShownSection> {
  const section = viewer.blueprint.sections.get(name)
  const common = { status: 'ok', code: 200, name } as const
  switch (section?.type) {
    case 'fields':
      return { ...common, type: 'fields', ...(await showFields(viewer, section)) }
    case 'files':
      return { ...common, type: 'files', ...(await showFiles(viewer, section, query)) }
    case 'info':
      return { ...common, type: 'info', ...(await showInfo(viewer, section)) }
    case 'pages':
      return { ...common, type: 'pages', ...(await showPages(viewer, section, query)) }
    case 'stats':
      return { ...common, type: 'stats', ...(await showStats(viewer, section)) }
    default:
      throw fail('section.notFound', { name: name.slice(0, 100) })
  }
}

/** Sorts files by filename list. The section only determines the parent of the files. */
export async function sortSection(viewer: Viewer, name: string, body: z.output<typeof sortBody>): Promise<void> {
  const section = viewer.blueprint.sections.get(name)
  const { parent } = section?.type === 'files' ? await fileParentIn(viewer, section) : {}
  if (!parent) throw fail('section.notFound', { name: name.slice(0, 100) })
  await sortByNames(viewer.ctx, parent, body)
}

/** Without the title of a page or the site, which the panel edits elsewhere. */
async function showFields(viewer: Viewer, { fields = {} }: Section): Promise<SectionContents<FieldsSection>> {
  const hasTitle = viewer.subject.kind === 'page' || viewer.subject.kind === 'site'
  const names = Object.keys(fields).map(name => name.toLowerCase())
  const shownNames = names.filter(name => !(hasTitle && name === 'title'))
  const described = new Map(
    shownNames.flatMap(name => {
      const field = viewer.blueprint.fields.get(name)
      return field ? [[name, field] as const] : []
    }),
  )
  const props = await allProps(viewer, described)
  const notes = await notesIn(viewer, fields, new Set(Object.keys(props)))
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
async function notesIn(viewer: Viewer, fields: NonNullable<Section['fields']>, fieldNames: ReadonlySet<string>) {
  const notes: Record<string, Props> = {}
  for (const [name, shown] of Object.entries(fields)) {
    const key = name.toLowerCase()
    if (fieldNames.has(key) || shown['type'] !== 'info') continue
    const { label, text, theme = null, width = '1/1' } = shown
    notes[key] = {
      hidden: false,
      label: (await textOfSetting(viewer, label)) ?? capital(name),
      name: key,
      saveable: false,
      text: await htmlOf(viewer, text),
      theme,
      type: 'info',
      width,
    }
  }
  return notes
}

async function showInfo(viewer: Viewer, section: Section): Promise<SectionContents<InfoSection>> {
  const { icon = null, text, theme = null } = section as Section & InfoSettings
  return { icon, label: await headlineOf(viewer, section), text: await htmlOf(viewer, text), theme }
}

const maxReports = 50

async function showStats(viewer: Viewer, section: Section): Promise<SectionContents<StatsSection>> {
  const { label, reports, size = 'large' } = section as Section & StatsSettings
  const list = typeof reports === 'string' ? await runQuery(viewer, reports) : reports
  const shown = (isList(list) ? list : []).filter(isMap).slice(0, maxReports)
  return {
    headline: await headlineOf(viewer, section),
    label: await textOfSetting(viewer, label),
    reports: await Promise.all(shown.map(report => reportOf(viewer, report))),
    size,
  }
}

async function reportOf(viewer: Viewer, report: Readonly<Record<string, unknown>>) {
  const text = (name: string) => textOfSetting(viewer, report[name])
  return {
    icon: await text('icon'),
    info: await text('info'),
    label: await text('label'),
    link: await text('link'),
    theme: await text('theme'),
    value: await text('value'),
  }
}
