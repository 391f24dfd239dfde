/**
 * Fifty clients that sign in again and again at the server of this URL, until this process is ended. One that is
 * refused because too many wait comes back after the time that the server names, or up to twice that: people do not come
 * back at the same moment.
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
