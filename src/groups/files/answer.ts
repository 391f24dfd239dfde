import { z } from 'zod'
import { type Answer, answer } from '../../http/answer.ts'

/** The uploaded files, by the names that the client sent. */
export type Uploaded<Shown> = [clientName: string, file: Shown][]

export interface UploadJson<Shown> {
  status: 'ok'
  data: Shown | Record<string, Shown>
  /** Exists only as a type, for the client. */
  readonly file?: Shown
}

const data = z.record(z.string(), z.unknown())
const schema = z.object({ status: z.literal('ok'), data })

/** `{ status, data: file }`, and for several files `{ status, data: { 'their name': file } }`. */
export function uploaded<Shown extends object>(_shown: z.ZodType<Shown>): Answer<Uploaded<Shown>, UploadJson<Shown>> {
  const wrapping = answer<Uploaded<Shown>, typeof schema>(schema, files => {
    const [first] = files
    const shown = files.length === 1 ? first![1] : Object.fromEntries(files)
    return { status: 'ok', data: shown as Record<string, unknown> }
  })
  return wrapping as Answer<Uploaded<Shown>, UploadJson<Shown>>
}

export interface OneJson<Shown> {
  status: 'ok'
  data: Shown
}

/** For endpoints that take exactly one file. */
export function uploadedOne<Shown>(shown: z.ZodType<Shown>): Answer<Shown, OneJson<Shown>> {
  const one = z.object({ status: z.literal('ok'), data: shown })
  return answer<Shown, typeof one>(one, value => ({ status: 'ok', data: value }) as never)
}
