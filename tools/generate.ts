/** Writes client/routes.ts, all that the client needs at run time: one line per endpoint. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { api } from '../src/api.ts'
import { type Api, listEndpoints, parametersOf } from '../src/http/endpoint.ts'

/** Also used by tests that declare their own endpoints. */
export function routesOf(tree: Api): [name: string, route: [string, string, string]][] {
  return [...listEndpoints(tree)].map(([name, endpoint]) => [
    name,
    [endpoint.method, endpoint.path, parametersOf(endpoint)],
  ])
}

export function routesFile(): string {
  const lines = routesOf(api).map(
    ([name, [method, path, clientParameters]]) => `  '${name}': ['${method}', '${path}', '${clientParameters}'],`,
  )
  return [
    '// Generated from src/api.ts by `npm run generate`.',
    '',
    '/** Name → method, path, and what the method of the client takes, in the order of its arguments. */',
    'export type Routes = Readonly<Record<string, readonly [method: string, path: string, clientParameters: string]>>',
    '',
    'export const routes: Routes = {',
    ...lines,
    '}',
    '',
  ].join('\n')
}

if (import.meta.main) writeFileSync(join(import.meta.dirname, '../client/routes.ts'), routesFile())

export function isFresh(): boolean {
  return readFileSync(join(import.meta.dirname, '../client/routes.ts'), 'utf8') === routesFile()
}
