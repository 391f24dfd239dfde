/** Helpers for tests of files: images and other bytes, forms, and a user who uploads them. */
import type { LightMyRequestResponse as Answer } from 'fastify'
import sharp from 'sharp'
import type { SignedInUser } from './signed-in-user.ts'

export interface SentFile {
  name?: string
  filename: string
  bytes: Buffer | string
  type?: string
}

const boundary = 'between-the-parts'
export const multipartContentType = `multipart/form-data; boundary=${boundary}`

/** A form, encoded as `multipart/form-data`. */
export function multipartBody(files: SentFile[], fields: Record<string, string> = {}): Buffer {
  const parts = [
    ...Object.entries(fields).map(([name, value]) => ({ head: `name="${name}"`, type: '', bytes: value })),
    ...files.map(({ name, filename, bytes, type = 'application/octet-stream' }, index) => ({
      head: `name="${name ?? `file${index}`}"; filename="${filename}"`,
      type: `content-type: ${type}\r\n`,
      bytes,
    })),
  ]
  return Buffer.concat([
    ...parts.flatMap(({ head, type, bytes }) => [
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n${type}\r\n`),
      Buffer.from(bytes),
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ])
}

/** A single-colour image. The same options give the same bytes. */
export function createImage(
  format: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' | 'tiff' = 'png',
  { width = 30, height = 30, color = '#c00' } = {},
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: color } })
    .toFormat(format)
    .toBuffer()
}

/** An image with a copyright and a GPS location in its EXIF data. */
export function imageWithGps(
  format: 'jpeg' | 'png' | 'webp' | 'avif',
  { width = 30, height = 30 } = {},
): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#0c0' } })
    .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1 30/1 17/1' } })
    .toFormat(format)
    .toBuffer()
}

/** The latitude in an `imageWithGps`, as encoded in the file. */
export const gpsLatitudeBytes = Buffer.from(Uint32Array.of(51, 1, 30, 1, 17, 1).buffer)

export const svg = (inner = '<circle r="4"/>', attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 40 20" ${attributes}>${inner}</svg>`

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Uploader {
  /** Sends a request with a JSON body, or without a body. */
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Sends a form with files. */
  send(
    path: string,
    files: SentFile[],
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Answer>
  /** The headers that every request of the user needs. */
  headers: Record<string, string>
}

/** A user who can send files to any path of the API. */
export async function createUploader({ browser }: Pick<SignedInUser, 'browser'>): Promise<Uploader> {
  const { csrf } = (await browser.send({ url: '/api/auth' })).json<{ csrf: string }>()
  const common = { 'sec-fetch-site': 'same-origin', 'x-csrf': csrf }
  return {
    headers: common,
    call: (method, path, body, headers = {}) =>
      browser.send({
        method,
        url: `/api/${path}`,
        headers: { ...common, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      }),
    send: (path, files, fields, headers = {}) =>
      browser.send({
        method: 'POST',
        url: `/api/${path}`,
        headers: { ...common, 'content-type': multipartContentType, ...headers },
        payload: multipartBody(files, fields),
      }),
  }
}

/** The data of a response; throws unless it is 200. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller says what it is
export function dataOf<Data = Record<string, unknown>>(answer: Answer): Data {
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
  return answer.json<{ data: Data }>().data
}

/** `400 error.file.duplicate` */
export function statusAndKeyOf(answer: Answer): string {
  return `${answer.statusCode} ${answer.json<{ key?: string }>().key}`
}
