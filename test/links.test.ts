/** Every link of the documents leads to a file, and to a heading of it. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const documents = ['*.md', 'docs/**/*.md', 'examples/*/*.md', 'bench/*.md', 'deploy/*.md', 'starter/**/*.md'].flatMap(
  pattern => globSync(pattern, { cwd: root }).filter(path => !path.includes('node_modules')),
)

/** The anchor that a heading gets: lower case, without punctuation, with `-` for spaces. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

const withoutCode = (text: string) => text.replaceAll(/^( *)```[^]*?^\1```$/gm, '').replaceAll(/`[^`\n]*`/g, '')

/** A heading that occurs again gets a number. */
function anchorsOf(path: string): string[] {
  const anchors = [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!))
  return anchors.map((anchor, index) => {
    const before = anchors.slice(0, index).filter(other => other === anchor).length
    return before === 0 ? anchor : `${anchor}-${before}`
  })
}

function isBroken(from: string, link: string): boolean {
  const [path = '', anchor] = decodeURI(link).split('#')
  const target = path === '' ? join(root, from) : join(root, dirname(from), path)
  if (relative(root, target).startsWith('..') || !existsSync(target)) return true
  return anchor !== undefined && (statSync(target).isDirectory() || !anchorsOf(target).includes(anchor))
}

test.each(documents)('%s', path => {
  const links = [...withoutCode(readFileSync(join(root, path), 'utf8')).matchAll(/\]\(<?([^)\s>]+)>?\)/g)].map(
    ([, link]) => link!,
  )
  const inside = links.filter(link => !/^[a-z]+:/.test(link))
  expect(inside.filter(link => isBroken(path, link))).toEqual([])
})

test('the documents are found', () => {
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/guide/api.md', 'docs/architecture.md']))
})
