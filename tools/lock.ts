/**
 * Checks package-lock.json, also those of the examples. npm silently omits platform packages that the registry does not have at that moment, and
 * may write the URL of a registry into the file. Either breaks `npm ci` on other machines.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Locked {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  inBundle?: boolean
  optionalDependencies?: Record<string, string>
}

const platforms = [/linux-x64(-gnu|-glibc)?$/, /linux-arm64(-gnu|-glibc)?$/, /darwin-arm64$/, /win32-x64(-msvc)?$/]

export function problemsOf(lock: { packages: Record<string, Locked> }): string[] {
  const names = Object.keys(lock.packages)
  return Object.entries(lock.packages).flatMap(([path, locked]) => {
    // The package itself, and links to folders of this repository.
    if (path === '' || path.startsWith('..') || locked.link) return []
    const platformPackages = Object.keys(locked.optionalDependencies ?? {}).filter(name =>
      platforms.some(platform => platform.test(name)),
    )
    const missing = platformPackages.filter(name => !names.some(other => other.endsWith(`node_modules/${name}`)))
    return [
      ...missing.map(name => `${path}@${locked.version} lacks ${name}`),
      ...(locked.resolved === undefined ? [] : [`${path} names where it was downloaded`]),
      ...(locked.integrity === undefined && !locked.inBundle ? [`${path} has no checksum`] : []),
    ]
  })
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..')
  const locks = globSync(['package-lock.json', 'examples/*/package-lock.json'], { cwd: root })
  const problems = locks.flatMap(lock => {
    const json = JSON.parse(readFileSync(join(root, lock), 'utf8')) as { packages: Record<string, Locked> }
    return problemsOf(json).map(problem => `${lock}: ${problem}`)
  })
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length > 0 ? 1 : 0
}
