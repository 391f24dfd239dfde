import type { App } from '../app.ts'
import { type Actor, isPassOfSite, pageOfPass } from '../access/actor.ts'
import { showsChanges } from '../access/authorize/callers.ts'
import { templatesToPreview } from '../access/authorize/pages.ts'
import type { HttpExchange } from '../access/session/exchange.ts'
import { contentLanguage } from '../content/languages/languages.ts'
import { pageImage } from './pickers/images.ts'
import { pick, visible } from './pickers/pickers.ts'
import { sectionErrors } from './sections/errors.ts'
import { offered } from './sections/options.ts'
import type { ContentLanguage, RequestContext } from '../http/context.ts'
import type { AnyEndpoint } from '../http/endpoint.ts'
import { fail } from '../platform/errors.ts'

/** Who calls a public endpoint without an account. */
const anonymous: Actor = { isAnonymous: true }

/** The content language comes from the query or a header; the default language otherwise. */
export function createRequestContext(
  app: App,
  { path }: AnyEndpoint,
  reader: Actor | undefined,
  query: unknown,
  exchange: HttpExchange,
): RequestContext {
  const isForAnonymous = reader?.isAnonymous === true
  const { language: languageInQuery, version } = (query ?? {}) as {
    language?: string
    version?: 'published' | 'changes'
  }
  const pass = isForAnonymous ? reader.pass : undefined
  if (pass?.language !== undefined && languageInQuery !== undefined && languageInQuery !== pass.language)
    throw fail('auth')
  // The answers to anonymous clients are kept by caches, which know the address only.
  const requested = languageInQuery ?? (isForAnonymous ? pass?.language : exchange.headers['x-language'])
  const isPreview = version === 'changes' && (!pass || showsChanges(pass, path))
  let language: ContentLanguage | Promise<ContentLanguage> | undefined
  const loadLanguage = async () => {
    const found = await contentLanguage(app, requested || undefined, context.readAt)
    if (!isPreview) return (language = found)
    const page = pass && pageOfPass(pass)
    const owners = pass?.release?.owners
    return (language = { ...found, changesOf: { ...templatesToPreview({ app, actor: reader! }), page, owners } })
  }
  const context: RequestContext = {
    app,
    actor: reader ?? anonymous,
    locale: reader && !reader.isAnonymous && !reader.system ? reader.user.language : 'en',
    visitor: exchange,
    language: () => (language ??= loadLanguage()),
    readAt: exchange.method === 'GET' && !reader?.system ? reader?.version : undefined,
    tags: isForAnonymous && !pass && app.config.delivery.tags ? new Set<string>() : undefined,
    isPreview,
    listsDrafts: isPreview && (!pass || isPassOfSite(pass)),
    pick,
    visible,
    offered,
    pageImage,
    sectionErrors,
  }
  return context
}
