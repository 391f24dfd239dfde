import { isByLanguage } from '../../content/blueprint.ts'
import { fillIn } from '../../blueprints/query.ts'
import type { RequestContext } from '../../http/context.ts'
import { scopeOf, type Subject } from '../query/scope.ts'
import { asMessage, Message } from '../../platform/texts.ts'
import { inLanguage } from '../../platform/translations/translations.ts'

/** A text of a blueprint in the language of the caller, with placeholders filled in. Undefined if there is no text. */
export async function textFor(ctx: RequestContext, setting: unknown, subject: Subject): Promise<string | undefined> {
  const text = textIn(ctx, setting)
  if (text === undefined || !/\{[{<]/.test(text)) return text
  return fillIn(text, scopeOf(ctx, subject))
}

/** The same without filling in placeholders. */
export function textIn({ locale: language }: RequestContext, setting: unknown): string | undefined {
  if (typeof setting === 'string') return inLanguage(asMessage(setting), language)
  if (typeof setting === 'number') return String(setting)
  return setting instanceof Message || isByLanguage(setting) ? inLanguage(setting, language) : undefined
}
