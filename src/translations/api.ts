import { z } from 'zod'
import { fail } from '../errors.ts'
import { collection, model } from '../http/answer.ts'
import { endpoint } from '../http/endpoint.ts'
import { paginate, pagingQuery } from '../http/paging.ts'
import { selectionQuery } from '../http/view.ts'
import { findTranslation, translations as all } from './translations.ts'
import { translationView } from './view.ts'

const choice = { ...selectionQuery, pretty: z.string().optional() }

/** The words of the interface. They are the same for everybody: nobody is asked who they are. */
export const translations = {
  list: endpoint({
    method: 'GET',
    path: '/translations',
    summary: 'List the languages of the interface',
    access: 'public',
    identify: false,
    query: z.strictObject({ ...choice, ...pagingQuery }),
    answer: collection(translationView.schema),
    handler: async ({ app, caller, query }) => {
      const pagination = paginate(all.length, query)
      const { offset, limit } = pagination
      const data = all
        .slice(offset, offset + limit)
        .map(translation => translationView.show({ app, caller: caller! }, translation, query, 'compact'))
      return { data: await Promise.all(data), pagination }
    },
  }),

  get: endpoint({
    method: 'GET',
    path: '/translations/:id',
    summary: 'Retrieve the words of the interface in one language',
    access: 'public',
    identify: false,
    on: async ({ params }) => {
      const translation = findTranslation(params.id)
      if (!translation) throw fail('translation.notFound', { id: params.id })
      return translation
    },
    query: z.strictObject(choice),
    answer: model(translationView.schema),
    handler: ({ app, caller, target, query }) => translationView.show({ app, caller: caller! }, target, query),
  }),
}
