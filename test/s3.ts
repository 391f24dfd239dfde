import { type S3Server, startS3Server } from '../tools/s3-server.ts'
import { beforeCleanUp } from './harness.ts'

export type { S3Server } from '../tools/s3-server.ts'

/** S3-compatible storage for the tests of one file. */
export async function startS3(): Promise<S3Server> {
  const s3 = await startS3Server()
  beforeCleanUp(() => s3.close())
  return s3
}
