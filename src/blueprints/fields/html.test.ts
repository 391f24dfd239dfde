import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.ts'
import { field, fieldset, fieldsets } from '../../../test/fields.ts'
import { withBudget } from './budget.ts'
import { blocksIn } from './html-blocks.ts'
import { sanitise, textIn } from './html.ts'
import { fieldTypes } from './index.ts'
import { rounds } from '../../../test/slow.ts'

const attacks = [
  ['<script>alert(1)</script>x', 'x'],
  ['<p>Hi <em>you</em><img src=x onerror=alert(1)></p>', '<p>Hi <em>you</em></p>'],
  ['<a href="javascript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="JaVaScRiPt&#58;alert(1)">x</a>', '<a>x</a>'],
  ['<a href=" java\nscript:alert(1)">x</a>', '<a>x</a>'],
  ['<a href="data:text/html,x">x</a>', '<a>x</a>'],
  ['<a href="//evil.example">x</a>', '<a>x</a>'],
  ['<a href="/\\evil.example">x</a>', '<a>x</a>'],
  ['<b onclick="x">y</b>', '<b>y</b>'],
  ['<p style="position:fixed">y</p>', '<p>y</p>'],
  ['<iframe src="https://evil.example"></iframe>', ''],
  ['<svg><style><img src=x onerror=alert(1)></style></svg>', ''],
  ['<p>a<b>open', '<p>a<b>open</b></p>'],
  ['</b>x', 'x'],
  ['<b><i>x</b></i>', '<b><i>x</i></b>'],
  ['<<b>script>x', '&lt;<b>script&gt;x</b>'],
  ['a & b < c', 'a &amp; b &lt; c'],
  ['<!-- x -->y', 'y'],
]

test.each(attacks)('%s becomes %s', (html, clean) => {
  expect(sanitise(html)).toBe(clean)
})

test.each([
  '<p>Read <strong>this</strong> &amp; that</p>',
  '<a href="https://example.org/?a=b&amp;c=d" rel="noopener" target="_blank" title="An &quot;x&quot;">x</a>',
  '<a href="page://abc">x</a><a href="file://abc">y</a><a href="mailto:a@b.example">z</a><a href="tel:+4930">t</a>',
  '<a href="#top">x</a><a href="/about">y</a><a href="about">z</a>',
  '<ol start="3"><li>a</li></ol><hr /><br />',
  '<pre><code class="language-js">x</code></pre>',
  '<p lang="de" dir="ltr">x</p>',
  'no tags at all, "quotes" and 🌊',
])('%s stays unchanged', html => {
  expect(sanitise(html)).toBe(html)
})

const pieces = fc.constantFrom(
  '<p>', '</p>', '<b>', '</b>', '<a href="', 'javascript:', 'https://x.example', '">', '</a>', '<script>', '</script>', 'x', '&', '&lt;', '"',
  '<', '>', ' onclick="y"', '<!--', '-->', '<img src=x onerror=y>', '/', '\\', '\n', 'title="', '&amp;', '<svg>', '<style>', '<br>', "'",
) // prettier-ignore

/** Every tag with its attributes, in the one form that clean HTML has; nothing else has a meaning in it. */
function expectClean(html: string): void {
  const tags = /<\/?([a-z]+[1-6]?)((?: [a-z]+="[^"<>]*")*)(?: ?\/)?>/g
  expect(html.replaceAll(tags, '')).not.toMatch(/[<>]/)
  for (const [, name, attributes = ''] of html.matchAll(tags)) {
    expect(name).not.toMatch(/^(?:script|style|svg|img|iframe)$/)
    for (const [, attribute, value] of attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)) {
      expect(attribute).toMatch(/^(?:href|rel|target|title|class|start|dir|lang)$/)
      if (attribute === 'href') expect(value).not.toMatch(/^\s*(?:[/\\]{2}|javascript|data)/i)
    }
  }
}

test('any combination is sanitised, and stays clean', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), parts => {
      const html = parts.join('')
      expectClean(sanitise(html)!)
      expect(sanitise(sanitise(html)!)).toBe(sanitise(html))
    }),
    { numRuns: rounds(50, 1000) },
  )
})

test('the length of a writer counts its text without tags', () => {
  expect(textIn('<p>a &amp; <b>b</b> &lt;c&gt;</p>')).toBe('a & b <c>')
  const { writer } = fieldTypes
  const rules = (value: string) => Object.keys(writer!.check(value, field('writer', { minlength: 3, maxlength: 5 })))
  expect(rules('<p><strong>abc</strong></p>')).toEqual([])
  expect(rules('<p>ab</p>')).toEqual(['minlength'])
  expect(rules('<p>abcdef</p>')).toEqual(['maxlength'])
})

test.each(['writer', 'list'])('%s is sanitised on write and on read, and has a limit', name => {
  const type = fieldTypes[name]!
  const one = field(name)
  expect(type.write(' <p>x</p><script>y</script> ', one)).toEqual({ stored: '<p>x</p>' })
  expect(type.read('<p>x</p><script>y</script>', one)).toBe('<p>x</p>')
  expect(type.write(`<p>${'x'.repeat(200_000)}</p>`, one)).toHaveProperty('errors.maxlength')
})

test.each(['writer', 'list', 'blocks'])(
  '%s refuses HTML that would take long to sanitise, before sanitising it',
  name => {
    const kinds = name === 'blocks' ? { fieldsets: fieldsets(fieldset('text', { text: ['writer'] })) } : {}
    const write = (html: string) => fieldTypes[name]!.write(html, field(name, kinds))
    const before = cpuTime()
    for (const html of ['<b>'.repeat(30_000), '<b>'.repeat(101), '<p x>'.repeat(20_000), '< '.repeat(40_000)])
      expect(JSON.stringify(write(html))).toMatch(/^{"errors":{"html":"This has too much HTML/)
    expect(cpuTime() - before).toBeLessThan(3000)
    expect(write(`${'<b>'.repeat(100)}x${'</b>'.repeat(100)}`)).toHaveProperty('stored')
    expect(write('<p>unclosed<br><li>as <img src=x> before'.repeat(200))).toHaveProperty('stored')
  },
)

test('clean HTML costs nothing; all other HTML of a request shares one budget', () => {
  const { writer } = fieldTypes
  const write = (html: string) => 'stored' in writer!.write(html, field('writer'))
  expect(write('<p>clean</p>'.repeat(16_000))).toBe(true)
  withBudget(() => {
    expect([1, 2, 3].map(() => write('<p x>'.repeat(2500)))).toEqual([true, true, true])
    expect(write('<p x>'.repeat(2500))).toBe(false)
    expect(write('<p>clean</p>')).toBe(true)
  })
  expect(write('<p x>'.repeat(2500))).toBe(true)
})

test('sanitised HTML is not parsed again on read', () => {
  const html = sanitise(
    '<p lang=de dir=ltr>x<a target=_blank href="about/us">y</a><code class="language-js">z</code></p><ol start=3><li>a</ol>'.repeat(
      500,
    ),
  )
  withBudget(budget => {
    budget.tags = 0
    expect(fieldTypes['writer']!.write(html, field('writer'))).toEqual({ stored: html })
  })
})

test('older HTML is split into blocks', () => {
  expect(blocksIn('not HTML at all')).toEqual([{ type: 'text', content: { text: '<p>not HTML at all</p>' } }])
  expect(
    blocksIn(
      'Before <b>it</b><h2>Head <em>line</em></h2><p>One</p><p>Two<br>three</p><ul><li>a<ul><li>b</li></ul></li></ul>' +
        '<blockquote>Said</blockquote><pre><code>x &lt; y</code></pre><hr>After\n\nall<script>x</script>',
    ),
  ).toEqual([
    { type: 'text', content: { text: '<p>Before <b>it</b></p>' } },
    { type: 'heading', content: { level: 'h2', text: 'Head <em>line</em>' } },
    { type: 'text', content: { text: '<p>One</p><p>Two<br />three</p>' } },
    { type: 'list', content: { text: '<ul><li>a<ul><li>b</li></ul></li></ul>' } },
    { type: 'quote', content: { text: 'Said' } },
    { type: 'code', content: { code: 'x < y' } },
    { type: 'line', content: {} },
    { type: 'text', content: { text: '<p>After</p><p>all</p>' } },
  ])
  expect(blocksIn('')).toEqual([])
})

test('no library is loaded before a value needs it', () => {
  const program = `
    const { fieldTypes } = await import(${JSON.stringify(join(import.meta.dirname, 'index.ts'))})
    const { createRequire } = await import('node:module')
    const loaded = () => Object.keys(createRequire('/x.js').cache).filter(path => /node_modules.(yaml|sanitize-html)./.test(path)).length
    fieldTypes.text.read('a', {}); fieldTypes.writer.read('plain <b>clean</b>', {})
    console.log(loaded() === 0)
    fieldTypes.writer.read('<i onclick=x>', {}); fieldTypes.structure.read('- a', { fields: new Map() })
    console.log(loaded() > 0)`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', program])
  expect(String(output).trim().split('\n')).toEqual(['true', 'true'])
})
