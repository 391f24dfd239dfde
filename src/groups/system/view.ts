import { z } from 'zod'
import type { App } from '../../app.ts'
import { answer } from '../../http/answer.ts'
import type { RequestContext } from '../../http/context.ts'
import { viewOf } from '../../http/view.ts'
import { contentLanguage, listLanguages } from '../../content/languages/languages.ts'
import { languageView } from '../languages/view.ts'
import { asciiRules } from '../../platform/lib/slug.ts'
import { release } from '../../platform/release.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { can } from '../../access/authorize/authorize.ts'
import { callerOf, type Session } from '../../access/actor.ts'
import { sessionSchema, showSession } from '../../access/session/view.ts'
import { closestTranslation, interfaceLanguageOf, translations } from '../../platform/translations/translations.ts'
import { translationView } from '../translations/view.ts'
import { readContentOfSite, titleOfSite } from '../site/site.ts'
import { type SignedInUser, signedInUserSchema } from '../users/signed-in.ts'
import { userView } from '../users/view.ts'
import { isLocal } from './local.ts'
import { requirements } from './system.ts'

/** The input of the view. */
export interface SystemState {
  exchange: HttpExchange
  installed: boolean
}

const flag = z.boolean()
const map = z.record(z.string(), z.string())

const forAnonymous = [
  'authStatus',
  'defaultLanguage',
  'isInstallable',
  'isInstalled',
  'isOk',
  'loginMethods',
  'title',
] as const

/** Unauthenticated clients get the view `anonymous`: enough to sign in, and nothing that reveals the release. */
export const systemView = viewOf<SystemState>('System')(
  field => ({
    // A pending sign-in is known only by the id of its challenge, so it is never shown here.
    authStatus: field.value(
      z.object({ challenge: z.null(), email: z.string().nullable(), status: z.string() }),
      (_, { actor }) =>
        actor.isAnonymous || actor.system
          ? { challenge: null, email: null, status: 'inactive' }
          : { challenge: null, email: actor.user.email, status: 'active' },
    ),
    defaultLanguage: field.value(z.string(), (_, { app }) => defaultLanguage(app)),
    isInstallable: field.value(
      flag,
      ({ installed, exchange }, { app }) => !installed && isLocal(app, exchange), // without a setup token
    ),
    isInstalled: field.value(flag, ({ installed }) => installed),
    isLocal: field.value(flag, ({ exchange }, { app }) => isLocal(app, exchange)),
    isOk: field.value(flag, async (_, { app }) => Object.values(await requirements(app)).every(Boolean)),
    locales: field.value(map, () => locales),
    loginMethods: field.value(z.array(z.string()), (_, { app }) => loginMethods(app)),
    requirements: field.value(z.record(z.string(), flag), (_, { app }) => requirements(app)),
    translation: field.one(translationView, ({ exchange }) => closestTranslation(interfaceLanguageOf(exchange))),
    translations: field.extra(z.array(z.object({ direction: z.string(), id: z.string(), name: z.string() })), () => [
      ...translations,
    ]),
    maxFileSize: field.extra(z.int(), (_, { app }) => app.config.files.maxSize),
    /** Days for which deleted content can be restored; 0 without a trash. */
    trashDays: field.extra(z.int(), (_, { app }) => app.config.trash.days),
    user: field.one(userView, (_, ctx) => callerOf(ctx).user),
    version: field.value(z.string().nullable(), (_, ctx) => (can(ctx, 'access.system') ? release : null)),

    ascii: field.value(map, () => asciiRules()),
    languages: field.many(languageView, 'default', (_, { app }) => listLanguages(app)),
    multilang: field.value(flag, async (_, { app }) => (await listLanguages(app)).length > 0),
    slugs: field.value(map, async (_, ctx) => ({ ...(await ctx.language()).slugs })),

    site: field.value(z.string(), titleOf),
    /** Where visitors see the site; null if that is not configured. */
    siteUrl: field.extra(z.string().nullable(), (_, { app }) => app.config.site.url ?? null),
    title: field.value(z.string(), titleOf),
  }),
  {
    anonymous: [...forAnonymous, ['translation', 'compact'], 'translations'],
    login: ['authStatus', 'isOk', 'isInstallable', 'isInstalled', 'loginMethods', 'title', 'translation'],
    troubleshooting: ['isOk', 'isInstallable', 'isInstalled', 'title', 'translation', 'requirements'],
    panel: [
      'ascii',
      'defaultLanguage',
      'isOk',
      'isInstalled',
      'isLocal',
      'languages',
      'locales',
      'multilang',
      'requirements',
      'site',
      'siteUrl',
      'slugs',
      'title',
      'translation',
      ['user', 'auth'],
      'version',
    ],
  },
  [...forAnonymous, 'translation', 'translations'],
)

async function titleOf({ exchange }: SystemState, ctx: RequestContext): Promise<string> {
  const content = await readContentOfSite(ctx.app, await ctx.language())
  return titleOfSite(ctx.app, content, interfaceLanguageOf(exchange))
}

/** The default language of the interface: the one closest to the default content language. */
async function defaultLanguage(app: App): Promise<string> {
  const { code = 'en' } = await contentLanguage(app, undefined)
  return closestTranslation(code).id
}

/** The same for every client: which methods an account has is secret. */
function loginMethods({ config }: App): string[] {
  return ['password', 'passkey', ...(config.mail.url === undefined ? [] : ['password-reset'])]
}

/** `de` → `de_DE`: the most likely region of each language, for the format of dates and numbers. */
const locales = Object.fromEntries(
  translations.map(({ id }) => {
    const { language, region } = new Intl.Locale(id).maximize()
    return [id, `${language}_${region}`]
  }),
)

export interface Installed {
  user: SignedInUser
  session: Session
  csrf: string
}

/** Like the response to a login. `token` means that a session was started; API clients expect it. */
export const installAnswer = answer(
  z.object({
    code: z.literal(200),
    status: z.literal('ok'),
    token: z.literal(true),
    user: signedInUserSchema,
    session: sessionSchema,
    csrf: z.string(),
  }),
  ({ user, session, csrf }: Installed) => ({
    code: 200 as const,
    status: 'ok' as const,
    token: true as const,
    user,
    session: showSession(session),
    csrf,
  }),
)
