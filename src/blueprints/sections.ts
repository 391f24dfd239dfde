import { z } from 'zod'
import { textSetting } from './fields/settings.ts'

/** One name or a list of names. */
const names = z.union([z.string(), z.array(z.string())])

const size = z.enum(['auto', 'tiny', 'small', 'medium', 'large', 'huge', 'full'])

const commonSettings = {
  label: textSetting().optional(),
  headline: textSetting().optional(),
  help: textSetting().optional(),
  when: z.record(z.string(), z.unknown()).optional(),
}

/** Settings that sections of pages and files share. */
const list = {
  ...commonSettings,
  columns: z.record(z.string(), z.unknown()).optional(),
  create: z.unknown().optional(),
  empty: textSetting().optional(),
  flip: z.boolean().optional(),
  image: z.unknown().optional(),
  info: textSetting().optional(),
  layout: z.enum(['list', 'cards', 'cardlets', 'table']).optional(),
  limit: z.int().min(1).optional(),
  link: z.union([z.string(), z.boolean()]).optional(),
  max: z.int().min(0).optional(),
  min: z.int().min(0).optional(),
  page: z.int().min(1).optional(),
  parent: z.string().optional(),
  query: z.string().optional(),
  search: z.boolean().optional(),
  size: size.optional(),
  sortable: z.boolean().optional(),
  sortBy: z.string().optional(),
  text: textSetting().optional(),
}

const info = z.object({
  ...commonSettings,
  icon: z.string().optional(),
  text: textSetting().optional(),
  theme: z.string().optional(),
})

const stats = z.object({
  ...commonSettings,
  reports: z.union([z.string(), z.array(z.unknown())]).optional(),
  size: size.optional(),
})

/** The settings of sections, which are checked when a blueprint is read. */
export interface ListSettings extends z.output<z.ZodObject<typeof list>> {}
export interface InfoSettings extends z.output<typeof info> {}
export interface StatsSettings extends z.output<typeof stats> {}

/** Section types and their settings. */
export const sectionTypes: Readonly<Record<string, z.ZodObject>> = {
  fields: z.object({ ...commonSettings, fields: z.unknown().optional() }),
  pages: z.object({
    ...list,
    status: z.enum(['draft', 'drafts', 'unlisted', 'listed', 'published', 'all']).optional(),
    template: names.optional(),
    templates: names.optional(),
    templatesIgnore: names.optional(),
  }),
  files: z.object({
    ...list,
    accept: z.string().optional(),
    template: z.string().optional(),
    uploads: z.unknown().optional(),
  }),
  info,
  stats,
}
