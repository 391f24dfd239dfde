import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { currentLine, filesOf, hashOf, lineInProgress, linesIn, linesPage, readPublishedHashes } from './reference.ts'

const folder = join(import.meta.dirname, '../docs/reference')
const current = currentLine()
const files = filesOf(current)
const groups = ['authentication', 'languages', 'pages', 'roles', 'site', 'system', 'translations', 'users']

test('the reference has an index and one page per group, and making it twice gives equal bytes', () => {
  const pages = ['index', ...groups].map(name => `${name}.html`)
  expect([...files.keys()]).toEqual([...pages, 'reference.css', 'search.js', 'openapi.json'])
  const again = filesOf(current)
  for (const [name, text] of files) expect([name, again.get(name) === text]).toEqual([name, true])
})

test('the reference in docs/reference is up to date: npm run reference', () => {
  for (const [name, text] of files)
    expect([name, readFileSync(join(folder, current, name), 'utf8') === text]).toEqual([name, true])
})

test('every operation has an anchor, a call with curl and with the client, and a recorded answer', () => {
  const { paths } = JSON.parse(files.get('openapi.json')!) as {
    paths: Record<string, Record<string, { operationId?: string; tags?: string[] }>>
  }
  const operations = Object.values(paths).flatMap(methods =>
    Object.values(methods).filter(({ operationId }) => operationId !== undefined),
  )
  expect(operations.length).toBeGreaterThan(200)
  for (const { operationId, tags } of operations) {
    const page = files.get(`${tags![0]!.toLowerCase()}.html`)!
    const [article = ''] = page.split(`<article id="${operationId}">`)[1]?.split('</article>') ?? []
    expect([operationId, article]).toEqual([
      operationId,
      expect.stringMatching(/<p>(?:Needs <code>|Any account may call it|Anyone may call it)/),
    ])
    for (const part of ['<h3>Response</h3>', '<pre><code>curl ', `await client.${operationId}(`, '<pre class="json">'])
      expect([operationId, article.includes(part)]).toEqual([operationId, true])
    expect(files.get('index.html')).toContain(`#${operationId}"`)
  }
})

test('every link of the reference resolves', () => {
  for (const [name, text] of files) {
    if (!name.endsWith('.html')) continue
    for (const [, link] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const [file, anchor] = link!.split('#') as [string, string?]
      const target = files.get(file || name)
      expect([name, link, target !== undefined]).toEqual([name, link, true])
      if (anchor !== undefined) expect([name, link, target!.includes(`id="${anchor}"`)]).toEqual([name, link, true])
    }
  }
})

test('published pages are never rewritten', () => {
  const published = readPublishedHashes()
  expect(Object.keys(published)).toContain('0.1')
  for (const [line, hashes] of Object.entries(published)) {
    const found = globSync('*', { cwd: join(folder, line) }).map(name => [
      name,
      hashOf(readFileSync(join(folder, line, name))),
    ])
    expect([line, Object.fromEntries(found)]).toEqual([line, hashes])
  }
})

test('the index lists every release line, and the next one follows those that are published', () => {
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe(linesPage(linesIn(), readPublishedHashes()))
  expect(linesIn()).toEqual(expect.arrayContaining(Object.keys(readPublishedHashes())))
  expect(lineInProgress({ '0.1': {}, '0.2': {} }, '0.1')).toBe('0.3')
  expect(lineInProgress({ '0.1': {} }, '0.4')).toBe('0.4')
})

/** What a client relies on: routes, parameters, bodies and answers. Sentences, headings, errors and examples may be improved. */
const contractOf = (page: string) =>
  (page.match(/<article .*?<\/article>/gs) ?? []).map(article =>
    article
      .replace(/<h3>(?:Errors|Example)<\/h3>.*$/s, '')
      .replaceAll(/<h3>[^<]*<\/h3>/g, '')
      .replaceAll(/<p(?: class="[^"]*")?>(?!<span class="method|<code>)[^\n]*?<\/p>/g, ''),
  )

test('the Authentication group is the same in all release lines', () => {
  const now = contractOf(files.get('authentication.html')!)
  expect(now.map(text => /<article id="([^"]+)"/.exec(text)?.[1])).toEqual(['auth.get', 'auth.login', 'auth.logout'])
  expect(now[1]).toContain('/api/auth/login')
  expect(now[1]).toContain('<code>email</code>')
  for (const line of linesIn())
    expect([line, contractOf(readFileSync(join(folder, line, 'authentication.html'), 'utf8'))]).toEqual([line, now])
})
