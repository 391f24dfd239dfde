import type { App } from '../src/app.ts'
import { createApiToken, type NewApiToken, revokeApiToken } from '../src/access/session/api-tokens.ts'
import { operatorContext } from '../src/cli/site.ts'

/** An API token, as the command line creates it. */
export const addToken = (app: App, token: NewApiToken) =>
  app.store.write(tx => createApiToken(operatorContext(app), tx, token))

export const removeToken = (app: App, id: string) => app.store.write(tx => revokeApiToken(operatorContext(app), tx, id))
