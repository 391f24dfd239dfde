/**
 * Makes a release: `npm run release -- 0.2.0`. It checks the tree, the changelog, translations and screenshots, sets the version,
 * runs all tests, writes the reference, builds and tries the package, commits and tags. `--dry-run` checks what can be
 * checked without changing anything, and says what would be done. Publishing stays a step of its own.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '..')

export interface State {
  version: string
  current: string
  /** Changed files, as git lists them. */
  /** What `git status` shows. */
  uncommitted: string
  tags: readonly string[]
  changelog: string
}

/** Why this version cannot be released now; empty if it can. */
export function problemsOf({ version, current, uncommitted, tags, changelog }: State): string[] {
  const unreleased = unreleasedIn(changelog)
  return [
    ...(/^\d+\.\d+\.\d+$/.test(version) ? [] : [`"${version}" is no version such as 0.2.0`]),
    ...(isNewer(version, current) ? [] : [`${version} is not newer than ${current}`]),
    ...(tags.includes(`v${version}`) ? [`there is a tag v${version} already`] : []),
    ...(uncommitted === '' ? [] : [`there are changes that are not committed:\n${uncommitted}`]),
    ...(unreleased === undefined || unreleased.trim() === ''
      ? ['CHANGELOG.md has no section "## Unreleased" with changes']
      : []),
  ]
}

function isNewer(version: string, current: string): boolean {
  const [one, other] = [version, current].map(text => text.split('.').map(Number)) as [number[], number[]]
  const at = one.findIndex((part, index) => part !== other[index])
  return at >= 0 && one[at]! > other[at]!
}

const heading = /^## Unreleased[ \t]*\n/m

function unreleasedIn(changelog: string): string | undefined {
  const [, section] = changelog.split(heading)
  return section?.split(/^## /m)[0]
}

/** What was unreleased becomes the section of the version, below an empty one. */
export function releasedChangelog(changelog: string, version: string, date: string): string {
  return changelog.replace(heading, `## Unreleased\n\n## ${version} - ${date}\n`)
}

// ---- the steps

const run = (command: string, ...words: string[]) =>
  execFileSync(command, words, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
const read = (command: string, ...words: string[]) =>
  execFileSync(command, words, { cwd: root, encoding: 'utf8' }).trim()
const readText = (name: string) => readFileSync(join(root, name), 'utf8')

interface Manifest {
  version: string
  scripts: Record<string, string>
}

/** The files that the release changes. */
const versioned = ['package.json', 'package-lock.json', 'CHANGELOG.md', 'docs/reference']

function stepsOf(version: string, { scripts }: Manifest): [text: string, step: () => void][] {
  return [
    [
      'check that every text is translated',
      () => run('npx', 'vitest', 'run', 'src/platform/translations', 'panel/texts'),
    ],
    [
      'check that the screenshots of the guide show this panel',
      () => run('npm', 'run', 'screenshots', '--', '--stale'),
    ],
    [`set the version ${version} and date the changelog`, () => setVersion(version)],
    ...(scripts['reference'] === undefined
      ? []
      : ([['write the reference', () => run('npm', 'run', 'reference', '--', '--publish')]] as [string, () => void][])),
    ['run all checks and tests', () => run('npm', 'test')],
    ['run the slow tests, which install the package and upgrade old stores', () => run('npm', 'run', 'test:slow')],
    ['build the package into dist/', () => run('npm', 'run', 'package')],
    ['try the package', () => tryPackage(version)],
    [`commit, and tag v${version}`, () => commit(version)],
  ]
}

function setVersion(version: string): void {
  for (const name of ['package.json', 'package-lock.json']) {
    // The first `version` is that of the package itself, and so is the first below `packages` of the lock file.
    const count = name === 'package.json' ? 1 : 2
    let left = count
    const text = readText(name).replaceAll(/"version": "[^"]+"/g, found =>
      left-- > 0 ? `"version": "${version}"` : found,
    )
    writeFileSync(join(root, name), text)
  }
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(join(root, 'CHANGELOG.md'), releasedChangelog(readText('CHANGELOG.md'), version, date))
}

function tryPackage(version: string): void {
  const packageVersion = read(process.execPath, 'dist/bin/quoin.mjs', '--version')
  if (packageVersion !== version) throw new Error(`the package says that it is ${packageVersion}`)
  run('npm', 'pack', './dist', '--dry-run', '--silent')
}

function commit(version: string): void {
  run('git', 'add', '--all')
  run('git', 'commit', '--quiet', '-m', `release: ${version}`)
  run('git', 'tag', '--annotate', `v${version}`, '-m', `Quoin ${version}`)
}

function main(): void {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const [version = ''] = positionals
  const manifest = JSON.parse(readText('package.json')) as Manifest
  const problems = problemsOf({
    version,
    current: manifest.version,
    uncommitted: read('git', 'status', '--porcelain'),
    tags: read('git', 'tag').split('\n'),
    changelog: readText('CHANGELOG.md'),
  })
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) {
    process.exitCode = 1
    return
  }
  process.env['QUOIN_TEST_RELEASE'] = 'true'
  for (const [text, step] of stepsOf(version, manifest)) {
    console.log(`${values['dry-run'] ? 'would' : 'now'}: ${text}`)
    if (values['dry-run']) continue
    try {
      step()
    } catch (error) {
      console.error(`That failed, so there is no release: ${(error as Error).message}`)
      run('git', 'checkout', '--quiet', '--', ...versioned)
      run('git', 'clean', '--quiet', '-d', '--force', '--', 'docs/reference') // the tree was clean: all of it is new
      process.exitCode = 1
      return
    }
  }
  if (!values['dry-run'])
    console.log(
      `\nQuoin ${version} is committed and tagged. Publish it:\n\n  git push --follow-tags\n  npm publish dist\n`,
    )
}

if (import.meta.main) main()
