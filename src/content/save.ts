import type { By } from '../audit/audit.ts'
import type { Form } from '../blueprints/blueprints.ts'
import type { ContentLanguage } from '../http/look.ts'
import { isDefault, languageMustExist } from '../languages/languages.ts'
import type { Tx } from '../store/store.ts'
import { changeContent, createContent, type StoredContent } from './content.ts'
import { insertHistory, selectToChange, upsertContent } from './queries.ts'
import { contentMustFit } from './rules.ts'
import { merged } from './stored.ts'

/** Something that has content: a page, the site, a file, an account. */
export interface Model {
  /** `page://…`, `site://`, `file://…`, `user://…` */
  owner: string
  form: Pick<Form, 'fields' | 'broken'>
  /** Names that are not changed with the content, as they have their own permission. */
  reserved: ReadonlySet<string>
}

export interface Save {
  language: ContentLanguage
  sent: Readonly<Record<string, unknown>>
  /** Whether the rules of the blueprint are asked. */
  validate: boolean
  /** What the thing will be at after this. */
  revision: number
  action: string
  by: By
  /** In which language problems are told. */
  readBy: string
}

/**
 * What is sent takes its place in one language; all of it is kept in the history. The row of the thing is held by who calls
 * this. Answers with what is read from now on.
 */
export async function saveContent(tx: Tx, model: Model, save: Save): Promise<StoredContent> {
  const { language, sent, validate, readBy } = save
  languageMustExist(language)
  const before = await contentToChange(tx, model, language)
  const changed = changeContent(model.form, before, sent, { validate, reserved: model.reserved })
  const content = contentMustFit(changed, readBy)
  await storeContent(tx, model, save, content)
  return content
}

/** As it is read now in this language. */
export async function contentToChange(
  tx: Tx,
  { owner, form }: Model,
  language: ContentLanguage,
): Promise<StoredContent> {
  const own = await selectToChange(tx, owner, language.key)
  if (isDefault(language)) return own
  const base = await selectToChange(tx, owner, language.fallback)
  return merged({ own: JSON.stringify(own), base: JSON.stringify(base) }, form.fields)
}

/** All of the content in one language, as it is; what is the same in all languages is kept with the default one alone. */
export async function storeContent(
  tx: Tx,
  { owner, form }: Model,
  { language, revision, action, by }: Pick<Save, 'language' | 'revision' | 'action' | 'by'>,
  content: StoredContent,
): Promise<void> {
  const isShared = (name: string) => form.fields.get(name)?.translate === false
  const kept = isDefault(language)
    ? content
    : Object.fromEntries(Object.entries(content).filter(([name]) => !isShared(name)))
  await upsertContent(tx, owner, language.key, kept)
  await insertHistory(tx, { owner, language: language.key, revision, action, user: by.actor }, kept)
}

/** The first content of a new thing, always in the default language. */
export function firstContent(
  { form, reserved }: Model,
  sent: Readonly<Record<string, unknown>>,
  { now, readBy, validate = false }: { now?: number; readBy: string; validate?: boolean },
): Record<string, string> {
  return contentMustFit(createContent(form, sent, { validate, reserved, ...(now !== undefined && { now }) }), readBy)
}

/** The default language as a place to write to. */
export const inDefault = (language: ContentLanguage): ContentLanguage => ({ ...language, key: language.fallback })
