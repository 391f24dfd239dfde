import { createHmac } from 'node:crypto'
import { randomBytes } from '../../../platform/lib/random.ts'

const prefix = 'whsec_'

export const createSecret = () => prefix + randomBytes(32).toString('base64')

/** The headers of Standard Webhooks 1.0. Several secrets are valid while one is replaced. */
export function signedHeaders(
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const content = `${id}.${timestamp}.${body}`
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signatures.join(' ') }
}
