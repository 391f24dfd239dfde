import { mount } from '../../http/endpoint.ts'
import { filesOf } from '../files/api.ts'
import { contextForFileParent } from '../../access/authorize/authorize.ts'
import { siteFileView } from './view.ts'
import { fileParent, site } from './target.ts'

export const files = mount(
  '/site',
  filesOf({
    find: async request => fileParent((await site({ ctx: contextForFileParent(request.ctx) })).site, request.app),
    view: siteFileView,
  }),
)
