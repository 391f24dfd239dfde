/** The code samples of the guide: its fenced blocks. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

export interface Sample {
  /** The file, such as `docs/guide/api.md`. */
  page: string
  line: number
  /** The last heading of the second level above it; empty if there is none. */
  heading: string
  /** What follows the opening fence: `ts`, `sh`. */
  language: string
  code: string
}

/** README and all chapters. */
export const guidePages = ['README.md', ...globSync('docs/guide/*.md', { cwd: root }).toSorted()].map(page =>
  page.replaceAll('\\', '/'),
)

export function samplesOf(page: string): Sample[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/^( *)```(.*)\n([^]*?)^ *```$/gm)].map(({ 1: indent, 2: language, 3: code, index }) => ({
    page,
    line: text.slice(0, index).split('\n').length,
    heading: [...text.slice(0, index).matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? '',
    language: language!,
    code: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }))
}

/** The samples of a page that begin with the name of their file, by that name. */
export function filesIn(page: string): Record<string, string> {
  return Object.fromEntries(
    samplesOf(page).flatMap(({ code }) => {
      const [, name] = /^\/\/ (\S+\.ts)\n/.exec(code) ?? []
      return name === undefined ? [] : [[name, code]]
    }),
  )
}

/** The commands of a shell sample, each on one line, without comments. */
export function commandsOf({ code }: Pick<Sample, 'code'>): string[] {
  const lines = code.replaceAll(/\\\n\s*/g, '').split('\n')
  return lines.map(line => line.replace(/(^|\s)#\s.*$/, '').trim()).filter(line => line !== '')
}

/** `--name "front end"` → two words. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain!,
  )
}

/**
 * Chapters whose TypeScript samples are one program, in the order in which they can be run on one site: the last one
 * ends all tokens. Samples of settings are files of their own.
 */
export const programPages = ['queries', 'api', 'files', 'tokens', 'users', 'editing', 'languages', 'sign-in'].map(
  name => `docs/guide/${name}.md`,
)

/** The TypeScript programs of a page. */
export function programsOf(page: string): string[] {
  const samples = samplesOf(page).filter(({ language }) => language === 'ts')
  const code = samples.map(sample => sample.code)
  if (!programPages.includes(page)) return code
  const settings = code.filter(one => one.includes('defineConfig('))
  return [code.filter(one => !settings.includes(one)).join('\n'), ...settings]
}
