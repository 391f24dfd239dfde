/**
 * Fifty clients that sign in again and again at the server of this URL, until this process is ended. One that gets 503
 * because too many wait tries again after `Retry-After` plus a random part of it, because people would not all come back
 * at the same moment. An error ends the process, and with it the benchmark.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { login } from './sign-in.ts'

const [url = ''] = process.argv.slice(2)
for (let client = 0; client < 50; client++) void signInForever()

async function signInForever(): Promise<never> {
  for (;;) {
    const response = await login({ url })
    if (response.status === 503) await pause(Number(response.headers.get('retry-after')) * 1000 * (1 + Math.random()))
  }
}
