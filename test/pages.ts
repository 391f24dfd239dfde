/** A client with an API token, for tests of pages. */
import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { createPage, type NewPage } from '../src/groups/pages/create.ts'
import { changeStatus } from '../src/groups/pages/status.ts'
import { addUser, type TestApp } from './harness.ts'
import { operatorContext } from '../src/cli/site.ts'
import { addToken } from './tokens.ts'

export interface ApiResponse {
  status: number
  key: string | undefined
  details: Record<string, unknown>
  headers: Record<string, unknown>
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the shape
  data: any
  pagination: { page: number; total: number; offset: number; limit: number }
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface TokenClient {
  id: string
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
  /** The same, but fails the test unless the request succeeds. */
  done(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>
}

export async function createTokenClient(
  site: TestApp,
  { role = 'admin', scopes = ['*'] }: { role?: string; scopes?: string[] } = {},
): Promise<TokenClient> {
  const { id } = await addUser(site, { role, hash: null })
  const { token } = await addToken(site.app, { userId: id, name: 'test', scopes })
  const call: TokenClient['call'] = async (method, path, body, headers = {}) => {
    const sent: InjectOptions = {
      method,
      url: `/api/${path}`,
      headers: {
        host: new URL(site.app.config.url).host,
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    }
    const answer = await site.request(sent)
    const json = answer.json<{ key?: string; details?: object; data?: unknown; pagination?: object }>()
    return { details: {}, ...json, status: answer.statusCode, key: json.key, headers: answer.headers } as never
  }
  return {
    id,
    call,
    async done(...request) {
      const answer = await call(...request)
      expect({ asked: request, answer }).toMatchObject({ answer: { status: 200 } })
      return answer
    },
  }
}

/** Creates a page with the operation itself; the endpoints are tested elsewhere. */
export async function addPage(
  { app }: TestApp,
  parent: string,
  page: Omit<NewPage, 'shownReferences'> & { status?: 'unlisted' | 'listed' },
): Promise<string> {
  const { status, ...newPage } = page
  const uuid = await createPage(operatorContext(app), parent, { ...newPage, shownReferences: 'all' })
  if (status) await changeStatus(operatorContext(app), { uuid }, { status })
  return uuid
}
