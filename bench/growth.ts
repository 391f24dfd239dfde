import { compare, median } from './load.ts'
import type { Program, Site } from './programs.ts'
import { addUser, startQuoin } from './programs.ts'
import { atMost, type Figure } from './results.ts'

const password = 'seven quiet herons over water'
const admin = 'admin@example.org'

/** A running site, and the session of its administrator. */
export interface Opened {
  program: Program
  cookie: string
  /** For requests that change something. */
  csrf: string
}

/** The account must be created before the site is filled. */
export const addAdmin = (site: Site) => addUser(site, admin, password)

export async function open(site: Site): Promise<Opened> {
  const program = await startQuoin(site)
  return { program, ...(await signIn(program.url)) }
}

export async function signIn(url: string): Promise<Pick<Opened, 'cookie' | 'csrf'>> {
  const response = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: admin, password }),
  })
  const cookie = response.headers.getSetCookie().map(line => line.split(';')[0]!)
  const { csrf } = (await response.json()) as { csrf: string }
  return { cookie: cookie.join('; '), csrf }
}

/** A new address, so that the response cache does not answer. */
export const uncached = (path: string) => `${path}${path.includes('?') ? '&' : '?'}_=${Math.random()}`

export interface Growth {
  what: string
  /** The number of rows in the smaller site. */
  smallCount: number
  target?: number
  rounds?: number
  times?: number
}

/**
 * Measures latency with sequential requests, not throughput. `path` gets the number of the request, so that requests
 * can differ.
 */
export async function compareGrowth(
  little: Opened,
  big: Opened,
  path: (number: number) => string,
  { what, smallCount, target = 1.5, rounds = 10, times: often = 30 }: Growth,
): Promise<Figure> {
  let number = 0
  const time =
    ({ program, cookie }: Opened) =>
    async () => {
      const times: number[] = []
      for (let count = 0; count < often; count++) {
        const requestPath = uncached(path(number++))
        const start = performance.now()
        const response = await fetch(program.url + requestPath, {
          headers: { cookie },
        })
        await response.arrayBuffer()
        if (response.status !== 200) throw new Error(`${requestPath} was answered with ${response.status}`)
        times.push(performance.now() - start)
      }
      return median(times)
    }
  await time(little)()
  await time(big)()
  const { ratio, value, baseline } = await compare(rounds, time(big), time(little))
  return atMost(
    what,
    ratio,
    target,
    ' ×',
    `${value.toFixed(2)} ms against ${baseline.toFixed(2)} ms with ${smallCount}`,
  )
}
