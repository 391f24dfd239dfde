import { mount } from '../../http/endpoint.ts'
import { filesOf } from '../files/api.ts'
import { reachingFiles } from '../../access/session/rights.ts'
import { siteFileView } from './view.ts'
import { fileParent, site } from './target.ts'

export const files = mount(
  '/site',
  filesOf({
    find: async request => fileParent((await site(reachingFiles(request.ctx))).site, request.app),
    view: siteFileView,
  }),
)
