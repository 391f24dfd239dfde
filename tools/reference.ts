/**
 * Writes the reference of the release line in progress, such as `0.2`, to `docs/reference/<line>/`, and the list of all
 * lines. `npm run reference -- --publish` makes a line final: its pages are never written again. A line without changes
 * gets no pages of its own.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { api } from '../src/api.ts'
import { markup } from '../src/http/reference/html.ts'
import { openapi } from '../src/openapi.ts'
import { releaseLine } from '../src/platform/release.ts'
import { referenceFiles } from '../src/reference.ts'

const folder = join(import.meta.dirname, '../docs/reference')
const publishedFile = join(folder, 'published.json')
const config = { url: 'https://cms.example.org', base: '', secure: true }

/** The hashes of the files of published lines. */
export type PublishedHashes = Record<string, Record<string, string>>

export const readPublishedHashes = (): PublishedHashes =>
  JSON.parse(readFileSync(publishedFile, 'utf8')) as PublishedHashes

export const hashOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

/** The line of `package.json`, or the next one if that is published. */
export function lineInProgress(published = readPublishedHashes(), line = releaseLine): string {
  const [major, minor] = line.split('.').map(Number) as [number, number]
  return line in published ? lineInProgress(published, `${major}.${minor + 1}`) : line
}

/** The line whose pages show this code: the one in progress if it has been written, otherwise the newest one. */
export function currentLine(published = readPublishedHashes()): string {
  const [newest = releaseLine] = linesIn()
  const next = lineInProgress(published)
  return linesIn().includes(next) ? next : newest
}

/** The files of a line: the pages, and the OpenAPI document that they show. */
export function filesOf(line: string): Map<string, string> {
  const document = openapi(api, config) as { info: { version: string } }
  document.info.version = line
  const pages = [...referenceFiles(api, document)].map(([name, create]): [string, string] => [name, create()])
  return new Map([...pages, ['openapi.json', `${JSON.stringify(document)}\n`]])
}

/** The newest first. */
export const linesIn = (path = folder): string[] =>
  readdirSync(path, { withFileTypes: true })
    .flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
    .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))

/** The list of all lines. */
export function linesPage(lines: readonly string[], published: PublishedHashes): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Quoin</title>
<link rel="stylesheet" href="${lines[0]}/reference.css">
</head>
<body>
<header><span class="brand">Quoin</span><span class="line">API reference</span></header>
<nav aria-label="Release lines"></nav>
<main>
<h1>API reference</h1>
<p>Each release line keeps its reference. The Authentication group is the same in all of them.</p>
<section class="group">
<h2>Release lines</h2>
<ul>
${lines.map(
  line => markup`<li><a href="${line}/index.html">${line}</a>${!(line in published) && ' (in progress)'}</li>
`,
)}</ul>
</section>
</main>
</body>
</html>
`.html
}

function write(): void {
  const published = readPublishedHashes()
  const isFinal = process.argv.includes('--publish')
  if (isFinal && releaseLine in published) return // a later release of the same line
  const current = currentLine(published)
  const hashes = Object.fromEntries([...filesOf(current)].map(([name, text]) => [name, hashOf(text)]))
  if (isDeepStrictEqual(published[current], hashes)) return // nothing has changed since then
  const line = lineInProgress(published)
  mkdirSync(join(folder, line), { recursive: true })
  const files = filesOf(line)
  for (const [name, text] of files) writeFileSync(join(folder, line, name), text)
  if (isFinal) {
    published[line] = Object.fromEntries([...files].map(([name, text]) => [name, hashOf(text)]))
    writeFileSync(publishedFile, `${JSON.stringify(published, undefined, 2)}\n`)
  }
  writeFileSync(join(folder, 'index.html'), linesPage(linesIn(), published))
}

if (import.meta.main) write()
