import { expect, test } from 'vitest'
import { parseForm } from './form.ts'

const limits = { depth: 64, members: 100 }
const read = (text: string) => parseForm(Buffer.from(text), limits)

test.each([
  ['title=Notes', { title: 'Notes' }],
  ['title=', { title: '' }],
  ['a=1&b=true&c=a%3Db', { a: '1', b: 'true', c: 'a=b' }],
  ['a=x=y', { a: 'x=y' }],
  ['title=Gr%C3%B6%C3%9Fe+%26+%2B', { title: 'Größe & +' }],
  ['title=Größe', { title: 'Größe' }],
  ['content[title]=Notes&content[text]=x', { content: { title: 'Notes', text: 'x' } }],
  ['content%5Btitle%5D=Notes', { content: { title: 'Notes' } }],
  ['a[]=1&a[]=2', { a: ['1', '2'] }],
  ['a[b][]=1&a[b][]=2&a[c]=3', { a: { b: ['1', '2'], c: '3' } }],
  ['rows[0][name]=a&rows[1][name]=b', { rows: [{ name: 'a' }, { name: 'b' }] }],
  ['rows[1]=a', { rows: { 1: 'a' } }],
  ['&a=1&&', { a: '1' }],
])('%s becomes %j', (text, form) => {
  expect(read(text)).toEqual(form)
})

test.each([
  ['a', 'form'],
  ['{"a":1}', 'form'],
  ['=1', 'form'],
  ['a[=1', 'form'],
  ['a]b=1', 'form'],
  ['a[b]c=1', 'form'],
  ['[a]=1', 'form'],
  ['a[][b]=1', 'form'],
  ['a=1&a=2', 'duplicate'],
  ['a=1&a[b]=2', 'duplicate'],
  ['a[b]=1&a[b][c]=2', 'duplicate'],
  ['a[b]=1&a=2', 'duplicate'],
  ['a[0]=1&a[0]=2', 'duplicate'],
  ['__proto__=1', 'forbidden'],
  ['__proto__[admin]=1', 'forbidden'],
  ['a[__proto__][admin]=1', 'forbidden'],
  ['a[%5f_proto__]=1', 'forbidden'],
  ['constructor[prototype]=1', 'forbidden'],
  ['a=%ff', 'utf8'],
  ['a=%', 'utf8'],
  ['a=%ED%A0%80', 'utf8'],
  ['\ufeffa=1', 'mark'],
  [`a${'[b]'.repeat(16)}=1`, 'depth'],
  [`a${'[b]'.repeat(20_000)}=1`, 'depth'],
  ['a=1&'.repeat(101), 'members'],
])('%.40s is refused: %s', (text, kind) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ kind }))
  expect({}).not.toHaveProperty('admin')
})

test('invalid UTF-8 is refused', () => {
  expect(() => parseForm(Buffer.from([0x61, 0x3d, 0xc3, 0x28]), limits)).toThrow(
    expect.objectContaining({ kind: 'utf8' }),
  )
})
