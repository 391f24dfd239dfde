import { z } from 'zod'
import { collection } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { showPage } from '../../../http/list.ts'
import { listing } from '../../pages/children/api.ts'
import { searchedStatuses } from '../search.ts'
import { findFiles } from './search.ts'
import { anyFileView } from './view.ts'

/** Full-text search for files. The parent and the template of a file decide who sees it. */
export const searchFiles = endpoint({
  method: 'GET',
  path: '/site/search/files',
  summary: 'Find files of pages, of the site and of accounts by words',
  description: 'Full-text search in names and contents of all files that the caller may see, the best first.',
  access: 'session',
  cacheable: true,
  query: z.strictObject({ ...listing, q: z.string().max(1000).default('') }),
  answer: collection(anyFileView.schema),
  handler: async ({ ctx, query: { q, page, limit, next, status, ...selection } }) => {
    const statuses = searchedStatuses(ctx, status)
    return showPage(ctx, anyFileView, await findFiles(ctx, { q, statuses, page, limit, next }), selection)
  },
})
