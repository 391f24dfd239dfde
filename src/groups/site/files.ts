import { mount } from '../../http/endpoint.ts'
import { filesOf } from '../files/api.ts'
import { contextForFileParent } from '../../access/authorize/authorize.ts'
import { siteFileView } from './view.ts'
import { siteFileParent, siteTarget } from './target.ts'

export const files = mount(
  '/site',
  filesOf({
    find: async request =>
      siteFileParent((await siteTarget({ ctx: contextForFileParent(request.ctx) })).site, request.app),
    view: siteFileView,
  }),
)
