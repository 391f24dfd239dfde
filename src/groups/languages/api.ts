import { z } from 'zod'
import { mustBeAllowed } from '../../access/authorize/authorize.ts'
import { fail } from '../../platform/errors.ts'
import { collection, done, model } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { showList, listQuery } from '../../http/list.ts'
import type { RequestContext } from '../../http/context.ts'
import { selectionQuery } from '../../http/query-schemas.ts'
import type { Selection } from '../../http/view.ts'
import {
  createLanguage,
  deleteLanguage,
  findLanguage,
  listLanguages,
  updateLanguage,
} from '../../content/languages/languages.ts'
import { languageView } from './view.ts'

const selectionSchema = z.strictObject({ ...selectionQuery })
const hasAtMost = (max: number) => (map: object) => Object.keys(map).length <= max
const locale = z.string().min(1).max(50)

const settings = {
  name: z.string().max(100).optional(),
  locale: z.union([locale, z.record(z.string().max(20), locale)]).optional(),
  /** Any value other than `rtl` means `ltr`. */
  direction: z.string().max(20).optional(),
  url: z.string().max(500).optional(),
  default: z.boolean().optional(),
  slugs: z.record(z.string().min(1).max(50), z.string().max(100)).refine(hasAtMost(1000)).optional(),
  translations: z.record(z.string().min(1).max(200), z.string().max(10_000)).refine(hasAtMost(5000)).optional(),
}

/** The content languages; a site may have none. Every signed-in caller may list them. */
export const languages = {
  list: endpoint({
    method: 'GET',
    path: '/languages',
    summary: 'List the languages of the content',
    description: [
      'The languages that content can be written in. A site without languages has an empty list.',
      'Anonymous clients need `access.languages` of their role.',
    ],
    access: 'reader',
    cacheable: true,
    isTagged: true,
    query: listQuery,
    answer: collection(languageView.schema),
    handler: async ({ ctx, app, query }) => {
      mustBeReadable(ctx)
      return showList(ctx, languageView, await listLanguages(app), query)
    },
  }),

  create: endpoint({
    method: 'POST',
    path: '/languages',
    summary: 'Add a language',
    description: [
      'Adds a language to the site. The first one becomes the default language, and everything that is already written belongs to it.',
      '`default: true` makes it the default language, in place of the present one.',
    ],
    access: 'languages.create',
    authorizedByOperation: true,
    selects: selectionSchema,
    body: z.strictObject({ code: z.string().max(100), ...settings }),
    invalid: issues => (issues.some(({ path }) => path[0] === 'code') ? fail('language.code') : undefined),
    answer: model(languageView.schema),
    handler: async ({ ctx, selection, body }) => reload(ctx, await createLanguage(ctx, body), selection),
  }),

  get: endpoint({
    method: 'GET',
    path: '/languages/:code',
    summary: 'Retrieve a language',
    description: 'One language with its name, direction, locale, URL prefix, slug rules and translated words.',
    access: 'reader',
    cacheable: true,
    isTagged: true,
    query: selectionSchema,
    answer: model(languageView.schema),
    handler: async ({ ctx, app, params, query }) => {
      mustBeReadable(ctx)
      return languageView.show(ctx, await findLanguage(app, params.code), query)
    },
  }),

  update: endpoint({
    method: 'PATCH',
    path: '/languages/:code',
    summary: 'Change a language, or make it the default one',
    description: [
      'Changes what is sent and leaves the rest. The code of a language cannot change.',
      '`default: true` makes it the default language; the content stays in the languages that it was written in.',
    ],
    access: 'languages.create',
    authorizedByOperation: true,
    query: selectionSchema,
    /** The code cannot change; it is accepted so that a client can send back all that it has read. */
    body: z.strictObject({ code: z.string().max(100).optional(), ...settings }),
    answer: model(languageView.schema),
    handler: async ({ ctx, params, query, body }) => {
      await updateLanguage(ctx, params.code, body)
      return reload(ctx, params.code, query)
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/languages/:code',
    summary: 'Delete a language with all that was written in it',
    description:
      'Deletes the language, and with it all content, drafts and slugs in it, for good: they do not go to the trash. The default language can be deleted only as the last one; its content stays.',
    access: 'languages.delete',
    authorizedByOperation: true,
    answer: done,
    handler: ({ ctx, params }) => deleteLanguage(ctx, params.code),
  }),
}

/** Every account may read the languages. */
function mustBeReadable(ctx: RequestContext): void {
  if (ctx.actor.isAnonymous) mustBeAllowed(ctx, 'access.languages')
}

/** Reads the language again, so that the response shows the committed state. */
async function reload(ctx: RequestContext, code: string, query?: Selection) {
  return languageView.show(ctx, await findLanguage(ctx.app, code), query)
}
