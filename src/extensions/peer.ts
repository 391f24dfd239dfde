import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { release } from '../platform/release.ts'

interface Package {
  name?: string
  version?: string
  peerDependencies?: Record<string, string>
}

/** What is wrong if the package of this file asks for another release of Quoin; undefined if nothing is. */
export function peerProblem(file: string, current: string = release): string | undefined {
  const { name = 'it', version = '', peerDependencies } = packageOf(dirname(file))
  const range = peerDependencies?.['quoin']
  if (range === undefined || range.split('||').some(part => satisfies(current, part.trim()))) return undefined
  return `${[name, version].join(' ').trim()} needs Quoin ${range}, this is ${current}`
}

function packageOf(folder: string): Package {
  const path = join(folder, 'package.json')
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Package
  return dirname(folder) === folder ? {} : packageOf(dirname(folder))
}

type Version = [major: number, minor: number, patch: number]

const versionIn = (text: string): Version | undefined => {
  const [, ...parts] = /^v?(\d+)(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(?:[-+].*)?$/.exec(text) ?? []
  return parts.length === 0 ? undefined : (parts.map(part => Number(part) || 0) as Version)
}

const compare = (one: Version, other: Version) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]

/** The usual forms: `*`, `1.2.3`, `^1.2`, `~1.2.3`, `>=1.2`, and several of them, which must all fit. */
function satisfies(current: string, range: string): boolean {
  const installed = versionIn(current)!
  return range.split(/\s+/).every(part => {
    if (part === '' || part === '*' || part === 'x') return true
    const [, sign = '', text = ''] = /^(\^|~|>=|<=|>|<|=)?(.*)$/.exec(part)!
    const required = versionIn(text)
    if (!required) return false
    const order = compare(installed, required)
    if (sign === '>=' || sign === '>') return sign === '>' ? order > 0 : order >= 0
    if (sign === '<=' || sign === '<') return sign === '<' ? order < 0 : order <= 0
    const fixed = fixedParts(sign, text, required)
    return order >= 0 && installed.slice(0, fixed).join() === required.slice(0, fixed).join()
  })
}

/** How many parts of the version must be the same: `^` allows no change of the first part that is not 0. */
function fixedParts(sign: string, text: string, required: Version): number {
  const given = text.split('.').filter(part => /^v?\d/.test(part)).length
  if (sign === '^') return Math.min(given, required.findIndex(part => part > 0) + 1 || given)
  return sign === '~' ? Math.min(given, 2) : given
}
