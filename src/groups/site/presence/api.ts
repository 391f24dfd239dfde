import { z } from 'zod'
import { collection } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listQuery, showList } from '../../../http/list.ts'
import { reportPresence } from './presence.ts'
import { presenceView } from './view.ts'

const tab = z.string().regex(/^[\w-]{8,64}$/)

/** Presence: which accounts have the panel open, and on which page. */
export const presence = endpoint({
  method: 'POST',
  path: '/site/presence',
  summary: 'Report which page is open, and list the other accounts in the panel',
  description:
    'Reports that a browser tab has the panel open, and on which page. Answers with the other accounts; an account that the caller may not see has only its name. A tab that does not report for two and a half minutes is forgotten.',
  access: 'session',
  selects: listQuery,
  body: z.strictObject({
    tab: tab.describe('A random id, chosen by the browser tab.'),
    page: z.string().min(1).max(2000).nullable().describe('The id of the open page.'),
    says: z
      .enum(['ask', 'give', 'keep'])
      .nullable()
      .default(null)
      .describe('To the others on the page. `ask`: asks for their draft; `give`: hands it over; `keep`: declines.'),
    closed: z.literal(true).optional().describe('The tab is being closed.'),
  }),
  answer: collection(presenceView.schema),
  handler: async ({ ctx, body, selection }) => showList(ctx, presenceView, await reportPresence(ctx, body), selection),
})
