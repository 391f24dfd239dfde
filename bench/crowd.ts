/** Fifty clients that sign in again and again at the server of this URL, until this process is ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { login } from './sign-in.ts'

const [url = ''] = process.argv.slice(2)
for (let client = 0; client < 50; client++) void signInForever()

async function signInForever(): Promise<never> {
  for (;;) if ((await login({ url })) === 503) await pause(200)
}
