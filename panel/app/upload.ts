import { ConnectionError, throwConnectionError } from './errors.ts'

interface UploadProgress {
  /** From 0 to 1. */
  onProgress?: (fraction: number) => void
  signal?: AbortSignal
}

const watched = new WeakMap<FormData, UploadProgress>()

/**
 * Adds progress and cancellation to an upload: `client.pages.files.upload({ id }, watch(form, { onProgress, signal
 * }))`.
 */
export function watch<Form extends FormData>(form: Form, progress: UploadProgress): Form {
  watched.set(form, progress)
  return form
}

/** Like `fetch`, but uses `XMLHttpRequest` for watched uploads, because `fetch` reports no upload progress. */
export function send(url: string, init: RequestInit): Promise<Response> {
  const { method, headers } = init
  const form = init.body instanceof FormData ? init.body : undefined
  const progress = form && watched.get(form)
  if (!progress) return fetch(url, init).catch(throwConnectionError)
  const { onProgress, signal } = progress
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method ?? 'POST', url)
    request.responseType = 'text'
    new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value))
    request.upload.addEventListener('progress', ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress?.(loaded / total)
    })
    request.addEventListener('load', () => resolve(responseOf(request)))
    request.addEventListener('error', () => reject(new ConnectionError('the upload was interrupted')))
    request.addEventListener('abort', () => reject(new DOMException('stopped', 'AbortError')))
    signal?.addEventListener('abort', () => request.abort())
    if (signal?.aborted) reject(new DOMException('stopped', 'AbortError'))
    else request.send(form)
  })
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers()
  for (const name of ['content-type', 'retry-after', 'etag']) {
    const value = request.getResponseHeader(name)
    if (value !== null) headers.set(name, value)
  }
  return new Response(request.responseText || null, { status: request.status, headers })
}
