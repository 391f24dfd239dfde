import type { z } from 'zod'
import type { Section } from '../../blueprints/blueprints.ts'
import { capital } from '../../blueprints/settings.ts'
import { isList, isMap } from '../../blueprints/fields/stored.ts'
import { fail } from '../../platform/errors.ts'
import { type sortBody, sortByNames } from '../../groups/files/sorting.ts'
import { allProps } from './field.ts'
import { fileParentIn, showFiles } from './files.ts'
import { type SectionQuery, headlineOf } from './list.ts'
import { showPages } from './pages.ts'
import { htmlOf, runQuery, textOfSetting, type Viewer } from './viewer.ts'

export interface Shown {
  name: string
  type: string
  [part: string]: unknown
}

type Show = (viewer: Viewer, section: Section, query: SectionQuery) => Promise<object>

const types: Readonly<Partial<Record<string, Show>>> = {
  fields: showFields,
  files: showFiles,
  info: showInfo,
  pages: showPages,
  stats: showStats,
}

/** A section of a model with its contents, as far as the caller may see them. */
export async function showSection(viewer: Viewer, name: string, query: SectionQuery): Promise<Shown> {
  const section = viewer.blueprint.sections.get(name)
  const show = section && types[section.type]
  if (!show) throw fail('section.notFound', { name: name.slice(0, 100) })
  return { name, type: section.type, ...(await show(viewer, section, query)) }
}

/** Sorts files by filename list. The section only determines the parent of the files. */
export async function sortSection(viewer: Viewer, name: string, body: z.output<typeof sortBody>): Promise<void> {
  const section = viewer.blueprint.sections.get(name)
  const { parent } = section?.type === 'files' ? await fileParentIn(viewer, section) : {}
  if (!parent) throw fail('section.notFound', { name: name.slice(0, 100) })
  await sortByNames(viewer.ctx, parent, body)
}

/** Without the title of a page or the site, which the panel edits elsewhere. */
async function showFields(viewer: Viewer, { fields = {} }: Section) {
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
      shownNames.flatMap(name => ((props[name] ?? notes[name]) ? [[name, props[name] ?? notes[name]]] : [])),
    ),
  }
}

/** Fields with invalid settings are shown as info fields with the error. */
async function notesIn(viewer: Viewer, fields: NonNullable<Section['fields']>, fieldNames: ReadonlySet<string>) {
  const notes: Record<string, object> = {}
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

async function showInfo(viewer: Viewer, section: Section) {
  const { icon = null, text, theme = null } = section
  return { icon, label: await headlineOf(viewer, section), text: await htmlOf(viewer, text), theme }
}

const maxReports = 50

async function showStats(viewer: Viewer, section: Section) {
  const { label, reports, size = 'large' } = section
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
