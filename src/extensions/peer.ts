import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { release } from '../platform/release.ts'

const manifest = z.object({
  name: z.string().default('it'),
  version: z.string().default(''),
  peerDependencies: z.record(z.string(), z.string()).default({}),
})

/** What is wrong if the package of this file asks for another release of Quoin; undefined if nothing is. */
export function peerProblem(file: string, current: string = release): string | undefined {
  const path = packageAbove(dirname(file))
  if (path === undefined) return undefined
  try {
    const { name, version, peerDependencies } = manifest.parse(JSON.parse(readFileSync(path, 'utf8')))
    const range = peerDependencies['quoin']
    if (range === undefined || isNoRange(range) || range.split('||').some(part => satisfies(current, part)))
      return undefined
    return `${[name, version].join(' ').trim()} needs Quoin ${range}, this is ${current}`
  } catch (error) {
    const [issue] = error instanceof z.ZodError ? error.issues : []
    const reason = issue ? [...issue.path.map(String), issue.message].join(': ') : (error as Error).message
    return `${path} cannot be read: ${reason}`
  }
}

function packageAbove(folder: string): string | undefined {
  const path = join(folder, 'package.json')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : packageAbove(dirname(folder))
}

/** An address, a path or a tag: it does not say which releases. */
const isNoRange = (text: string) => /[:/]|^(?!x$|v\d)[a-z][\w.-]*$/i.test(text.trim())

type Version = [major: number, minor: number, patch: number]

const compare = (one: Version, other: Version) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]

const none: Version = [0, 0, 0]
const endless: Version = [Infinity, 0, 0]

/** The first version after all those with the same first parts. */
const after = (version: Version, count: number): Version =>
  count === 0
    ? endless
    : (version.map((part, at) => (at < count - 1 ? part : at === count - 1 ? part + 1 : 0)) as Version)

const comparator = /^(\^|~>?|[<>]=?|=)?v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(-[\w.-]+)?(?:\+.*)?$/i

/** From the first version that fits to the first one that no longer does; undefined if it has another form. */
function boundsOf(text: string): [from: Version, to: Version] | undefined {
  const [, sign = '', ...parts] = comparator.exec(text) ?? []
  if (parts.length === 0) return undefined
  const isEarly = parts.pop() !== undefined
  const wildcard = parts.findIndex(part => !/^\d/.test(part ?? ''))
  const given = wildcard === -1 ? 3 : wildcard
  const version = parts.map((part, at) => (at < given ? Number(part) : 0)) as Version
  const next = after(version, given)
  if (sign === '>=' || sign === '>') return [sign === '>' && !isEarly ? next : version, endless]
  if (sign === '<=' || sign === '<') return [none, sign === '<=' && !isEarly ? next : version]
  // No change of the first part that is not 0.
  if (sign === '^') return [version, after(version, Math.min(given, version.findIndex(part => part > 0) + 1 || given))]
  return [version, sign.startsWith('~') ? after(version, Math.min(given, 2)) : next]
}

/** As npm reads it: `^1.2`, `~1.2.3`, `>= 1.2`, `1.x`, `1.2 - 2`, and several of them, which must all fit. */
function satisfies(current: string, range: string): boolean {
  const installed = current.split('.').map(part => Number.parseInt(part, 10)) as Version
  const parts = range
    .trim()
    .replace(/^(\S+)\s+-\s+(\S+)$/, '>=$1 <=$2')
    .replaceAll(/([<>=~^])\s+/g, '$1')
  return (parts || '*').split(/\s+/).every(part => {
    const bounds = boundsOf(part)
    return bounds !== undefined && compare(installed, bounds[0]) >= 0 && compare(installed, bounds[1]) < 0
  })
}
