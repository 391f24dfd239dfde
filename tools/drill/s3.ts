/** The S3 server of the drill, as a process that can be stopped: `node tools/drill/s3.ts <port>`. */
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { startS3Server } from '../s3-server.ts'
import { isListening } from '../server-program.ts'
import { Service, waitUntil } from './service.ts'

export interface S3 {
  service: Service
  environment: Record<string, string>
}

export async function startS3(logs: string): Promise<S3> {
  const port = await freePort()
  const service = new Service({
    name: 's3',
    command: [process.execPath, join(import.meta.dirname, 's3.ts'), String(port)],
    logs,
  })
  service.start()
  await waitUntil('the S3 server listens', 30, () => isListening(port))
  const environment = {
    QUOIN_MEDIA_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    QUOIN_MEDIA_S3_REGION: 'eu-test-1',
    QUOIN_MEDIA_S3_BUCKET: 'quoin-test',
    QUOIN_MEDIA_S3_ACCESS_KEY: 'TESTKEY',
    QUOIN_MEDIA_S3_SECRET_KEY: 'test/secret+key',
  }
  return { service, environment }
}

if (import.meta.main) await startS3Server(Number(process.argv[2]))
