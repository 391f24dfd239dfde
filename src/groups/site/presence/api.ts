import { z } from 'zod'
import { collection } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { listQuery, showList } from '../../../http/list.ts'
import { reportPresence } from './presence.ts'
import { presenceView } from './view.ts'

const tab = z.string().regex(/^[\w-]{8,64}$/)

/** Who else has the panel open. */
export const presence = endpoint({
  method: 'POST',
  path: '/site/presence',
  summary: 'Report which page is open, and list who else is here',
  description:
    'Tells that a tab of the panel is open, and on which page; answers the others, as far as the caller may see them. A tab that does not report for two and a half minutes is forgotten.',
  access: 'session',
  selects: listQuery,
  body: z.strictObject({
    tab: tab.describe('A random name of the browser tab.'),
    page: z.string().min(1).max(2000).nullable().describe('The id of the open page.'),
    says: z
      .enum(['ask', 'give', 'keep'])
      .nullable()
      .default(null)
      .describe('To others on the page: asks to take over the draft, hands it over, or keeps it.'),
    closed: z.literal(true).optional().describe('The tab is being closed.'),
  }),
  answer: collection(presenceView.schema),
  handler: async ({ ctx, body, selection }) => showList(ctx, presenceView, await reportPresence(ctx, body), selection),
})
