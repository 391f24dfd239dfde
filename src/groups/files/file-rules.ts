import type { Context } from '../../access/actor.ts'
import { followAll, followRules, type RuledModel } from '../../content/with-rules.ts'
import type { FileRow } from './queries.ts'
import { fileModelOf, ownerOfFile } from './model.ts'

type RuledFile = Pick<FileRow, 'filename' | 'template' | 'mime' | 'size'> & { uuid: string; parent: string } & {
  revision: number
}

/** A file as rules of extensions see it. */
export function ruledFile({ uuid, parent, filename, template, mime, size, revision }: RuledFile): RuledModel {
  const facts = { uuid: uuid === '' ? '' : ownerOfFile(uuid), parent, filename, template, mime, size, revision }
  return { kind: 'file', template, facts }
}

/** Throws the error of the rule that refuses an operation other than a change of content. */
export function fileMustFollow(ctx: Context, file: RuledFile, operation: string, input: object): void {
  if (!ctx.app.extensions.rules) return
  const ruled = { ...ruledFile(file), operations: [operation], input: { ...input } }
  followRules(ctx, { ...ruled, model: fileModelOf(ctx.app, file), language: undefined })
}

/** The same for new files, which have no uuid yet. */
export function uploadsMustFollow(
  ctx: Context,
  parent: string,
  files: readonly Omit<RuledFile, 'parent' | 'revision' | 'uuid'>[],
): void {
  if (!ctx.app.extensions.rules) return
  followAll(
    ctx,
    files.map(file => ({
      ...ruledFile({ ...file, uuid: '', parent, revision: 0 }),
      operations: ['files.upload'],
      model: { ...fileModelOf(ctx.app, { uuid: '', template: file.template }), owner: `${parent}/${file.filename}` },
      language: undefined,
      content: {},
    })),
  )
}
