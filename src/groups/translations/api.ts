import { z } from 'zod'
import { fail } from '../../platform/errors.ts'
import { collection, model } from '../../http/answer.ts'
import { endpoint } from '../../http/endpoint.ts'
import { showList, listQuery } from '../../http/list.ts'
import { selectionQuery } from '../../http/query-schemas.ts'
import { findTranslation, translations as all } from '../../platform/translations/translations.ts'
import { translationView } from './view.ts'

/** The texts of the interface, the same for every client. Only error messages depend on the language of the caller. */
export const translations = {
  list: endpoint({
    method: 'GET',
    path: '/translations',
    summary: 'List the languages of the interface',
    description: 'The languages that the panel and the messages of the API are translated into.',
    access: 'public',
    duringForcedSetup: true,
    query: listQuery,
    answer: collection(translationView.schema, 'compact'),
    handler: ({ ctx, query }) => showList(ctx, translationView, all, query, 'compact'),
  }),

  get: endpoint({
    method: 'GET',
    path: '/translations/:id',
    summary: 'Retrieve the texts of the interface in one language',
    description:
      'All texts of the panel and errors of the API in one language, by key; texts without a translation are in English.',
    access: 'public',
    duringForcedSetup: true,
    on: async ({ params }) => {
      const translation = findTranslation(params.id)
      if (!translation) throw fail('translation.notFound', { id: params.id })
      return translation
    },
    query: z.strictObject({ ...selectionQuery }),
    answer: model(translationView.schema),
    handler: ({ ctx, target, query }) => translationView.show(ctx, target, query),
  }),
}
