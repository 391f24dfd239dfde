import type { PermissionTarget } from '../../../access/authorize/authorize.ts'
import { z } from 'zod'
import { fail } from '../../../platform/errors.ts'
import { uploadedOne } from '../../files/answer.ts'
import { check, storeBytes, withStoredBytes, withForm } from '../../files/upload.ts'
import { fileBlueprintOf } from '../../files/blueprint.ts'
import { selectByUuid } from '../../files/queries.ts'
import { typeNamed } from '../../files/rules.ts'
import { mustBeChangeable } from '../../files/target.ts'
import { typeOf } from '../../files/types.ts'
import { safeName } from '../../files/names.ts'
import { done, model } from '../../../http/answer.ts'
import { endpoint } from '../../../http/endpoint.ts'
import type { RequestContext } from '../../../http/context.ts'
import { selectionQuery } from '../../../http/query-schemas.ts'
import { userFileParent } from '../files.ts'
import { userTarget, type UserTarget } from '../target.ts'
import { userFileView } from '../view.ts'
import { removeAvatar, setAvatar } from './avatar.ts'
import { avatarTemplate } from './queries.ts'
import { findAvatar } from './view.ts'

type AvatarRequest = Parameters<typeof userTarget>[0] & { ctx: RequestContext }

/**
 * The permission target of an upload: the caller must be allowed to change the account, and the options of the avatar
 * file blueprint decide. The body is large, so this is checked before it is read.
 */
async function forUpload(request: AvatarRequest): Promise<PermissionTarget & Pick<UserTarget, 'user'>> {
  const { user: found } = await userTarget(request)
  mustBeChangeable(userFileParent(found, request.ctx))
  return { user: found, options: fileBlueprintOf(request.ctx.app, { template: avatarTemplate }).options }
}

/** The profile image of an account. */
export const avatar = {
  get: endpoint({
    method: 'GET',
    path: '/users/:id/avatar',
    summary: 'Retrieve the profile image of an account',
    description: 'The profile image as a file of the account. 404 if there is none.',
    access: 'session',
    on: userTarget,
    query: z.strictObject(selectionQuery),
    answer: model(userFileView.schema),
    handler: async ({ ctx, target, query }) => {
      const found = await findAvatar(target.user, ctx)
      if (!found) throw fail('file.avatar.notFound')
      return userFileView.show(ctx, { ...found, parent: userFileParent(target.user, ctx) }, query)
    },
  }),

  upload: endpoint({
    method: 'POST',
    path: '/users/:id/avatar',
    summary: 'Give an account a profile image',
    description:
      'Stores the image of a form with one file, in place of the former one. Only images. The caller must be allowed to change the account.',
    access: 'files.create',
    upload: {},
    on: forUpload,
    query: z.strictObject(selectionQuery),
    answer: uploadedOne(userFileView.schema),
    handler: ({ app, ctx, caller, target, query, upload }) => {
      const { language } = caller.user
      return withForm(app, upload, { files: 1, user: caller.user, checkName: mustBeImage }, async ([uploaded]) => {
        const options = { template: avatarTemplate, sort: null, language, base: 'profile' }
        const { received, ...file } = await check(app, uploaded!, options)
        if (file.type !== 'image') throw fail('file.type.forbidden', { type: typeNamed(file) })
        await storeBytes(app, received)
        const uuid = await withStoredBytes(app, [received], () => setAvatar(ctx, target.user, file))
        const [row] = await selectByUuid(app.store, [uuid])
        if (!row) throw fail('file.avatar.notFound')
        const shown = await userFileView.show(ctx, { file: row, parent: userFileParent(target.user, ctx) }, query)
        if (!shown.content) return shown
        const { template: _, ...content } = shown.content // always `avatar` here
        return { ...shown, content }
      })
    },
  }),

  delete: endpoint({
    method: 'DELETE',
    path: '/users/:id/avatar',
    summary: 'Remove the profile image of an account',
    description: 'Moves the profile image to the trash. The caller must be allowed to change the account.',
    access: 'files.delete',
    authorizedByOperation: true,
    on: userTarget,
    answer: done,
    handler: ({ ctx, target }) => removeAvatar(ctx, target.user),
  }),
}

/** Checks the extension before the body is read; the type of the received bytes is checked afterwards. */
function mustBeImage(clientName: string): void {
  const { extension } = safeName(clientName)
  if (extension !== '' && typeOf(extension) !== 'image')
    throw fail('file.type.forbidden', { type: typeNamed({ type: typeOf(extension), extension }) })
}
