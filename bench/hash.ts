/** The baseline of sign-in: argon2id only, with the same parameters, concurrency and duration in seconds. */
import { argon2, randomBytes } from 'node:crypto'

const [memory = 0, passes = 0, atOnce = 1, seconds = 1] = process.argv.slice(2).map(Number)
const parameters = {
  message: 'correct horse battery staple',
  nonce: randomBytes(16),
  memory,
  passes,
  parallelism: 1,
  tagLength: 32,
  secret: randomBytes(32),
}
const end = performance.now() + seconds * 1000
let count = 0

async function one(): Promise<void> {
  while (performance.now() < end) {
    await new Promise<void>((resolve, reject) =>
      argon2('argon2id', parameters, error => (error ? reject(error) : resolve())),
    )
    count++
  }
}
const start = performance.now()
await Promise.all(Array.from({ length: atOnce }, one))
console.log(JSON.stringify({ perSecond: (count * 1000) / (performance.now() - start) }))
