import type { LookupFunction } from 'node:net'
import type { CheckedAddress } from './address.ts'

// An import would evaluate the whole module, and with it load an HTTP client that is not needed here.
const { request: requestHttp } = process.getBuiltinModule('node:http')
const { request: requestHttps } = process.getBuiltinModule('node:https')

/** Limits of the response body, in bytes: how much is read, and how much is kept. */
const maxRead = 16 * 1024
const maxKept = 2 * 1024

export interface PostResult {
  status: number
  /** The beginning of the body. */
  body: string
  retryAfter: string | undefined
}

const lookupReturning =
  (ips: CheckedAddress['ips']): LookupFunction =>
  (_, { all }, done) => {
    const [first] = ips as [CheckedAddress['ips'][number]]
    if (all) done(null, ips)
    else done(null, first.address, first.family)
  }

/**
 * Sends a body to an address. The connection goes to the checked IP addresses, if there are any: those of operators
 * need no check. The name is used for the `Host` header and the certificate. Redirects are not followed. When the
 * signal is aborted while the body is read, the status counts and the rest of the body is dropped.
 */
export function post(
  { url, ips }: Pick<CheckedAddress, 'url'> & Partial<CheckedAddress>,
  {
    method = 'POST',
    body,
    headers,
    signal,
  }: { method?: string; body: string; headers: Record<string, string>; signal: AbortSignal },
): Promise<PostResult> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    let end: (() => void) | undefined
    const sent = send(
      url,
      {
        method,
        agent: false,
        ...(ips && { lookup: lookupReturning(ips) }),
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
        signal,
      },
      response => {
        const chunks: Buffer[] = []
        let size = 0
        end = () => {
          const text = Buffer.concat(chunks).subarray(0, maxKept).toString('utf8').replaceAll('\0', '').toWellFormed()
          resolve({ status: response.statusCode!, body: text, retryAfter: response.headers['retry-after'] })
          response.destroy()
        }
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk)
          size += chunk.length
          if (size >= maxRead) end!()
        })
        response.on('end', end)
        response.on('error', end)
        response.on('close', end)
      },
    )
    sent.on('error', error => (end ? end() : reject(error)))
    sent.end(body)
  })
}

/** Why a request got no response. */
export function deliveryError(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? message : `${code}: ${message}`
}
