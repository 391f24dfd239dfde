import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { contentLanguage } from '../../content/languages/languages.ts'
import { readContentOfSite, titleOfSite } from '../../groups/site/site.ts'
import type { Authenticator } from '../authenticate.ts'
import { asksForHtml, startPage, startPageHeaders } from './start-page.ts'
import { type AnonymousLimit, tooManyRequests } from '../anonymous-limit.ts'
import { fail } from '../../platform/errors.ts'
import { interfaceLanguageOf } from '../../platform/translations/translations.ts'

/**
 * What people see who open the address of the server: the site, if it is elsewhere, or a page with links to the panel and
 * the reference. Programs, which do not ask for HTML, get 404.
 */
export function addStartRoute(
  server: FastifyInstance,
  app: App,
  { authenticator, anonymousLimit }: { authenticator: Authenticator; anonymousLimit: AnonymousLimit },
): void {
  const { base, url, site } = app.config
  // The same origin could lead back here.
  const isElsewhere = site.url !== undefined && new URL(site.url).origin !== new URL(url).origin

  for (const path of new Set(['/', base, `${base}/`].filter(Boolean)))
    server.get(path, (request, reply) => {
      if (!asksForHtml(request)) throw fail('notFound')
      authenticator.checkHost(request.exchange, request.raw.socket.remoteAddress ?? '')
      if (path === '/' && base !== '') return reply.redirect(`${base}/`)
      return isElsewhere ? reply.redirect(site.url!) : show(request, reply)
    })

  async function show({ exchange }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const seconds = anonymousLimit.take(exchange.ip, undefined) // the title is read from the store
    if (seconds > 0) throw tooManyRequests(seconds)
    const language = interfaceLanguageOf(exchange)
    const content = await readContentOfSite(app, await contentLanguage(app, undefined))
    return reply
      .headers(startPageHeaders)
      .send(startPage({ title: titleOfSite(app, content, language), language, base }))
  }
}
