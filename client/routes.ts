// Generated from src/api.ts by `npm run generate`.

/** Name → method, path, and what it takes: a query, a body, both or nothing. */
export type Routes = Readonly<Record<string, readonly [method: string, path: string, takes: string]>>

export const routes: Routes = {
  'auth.get': ['GET', '/auth', 'query'],
  'auth.login': ['POST', '/auth/login', 'body'],
  'auth.logout': ['POST', '/auth/logout', 'body'],
  'users.get': ['GET', '/users/:id', 'query'],
}
