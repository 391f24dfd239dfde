import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createBlueprints, writeBlueprint } from '../../test/blueprints.ts'
import { readFolder } from './folder.ts'

function read(site: string) {
  const { texts, folders, problems } = readFolder(site)
  return {
    texts: Object.fromEntries(texts),
    folders: folders.map(folder => folder.slice(site.length + 1)),
    problems: problems.map(({ file, message }) => `${file} ${message}`),
  }
}

test('every .yml file has the name that blueprints extend it by', () => {
  const site = createBlueprints({
    'site.yml': 'a',
    'pages/note.yml': 'b',
    'fields/address/street.yml': 'c',
    'pages/readme.md': 'd',
    'pages/.note.yml': 'e',
  })
  expect(read(site)).toEqual({
    texts: { site: 'a', 'pages/note': 'b', 'fields/address/street': 'c' },
    problems: [],
    folders: ['blueprints', 'blueprints/fields', 'blueprints/fields/address', 'blueprints/pages'],
  })
})

test('a site without blueprints has no files', () => {
  expect(read(createBlueprints())).toEqual({ texts: {}, problems: [], folders: [] })
  expect(read('/nowhere/at/all')).toEqual({ texts: {}, problems: [], folders: [] })
})

test('a file in place of the folder is not read', () => {
  const site = createBlueprints()
  writeFileSync(join(site, 'blueprints'), 'text')
  expect(read(site)).toEqual({ texts: {}, problems: ['blueprints this must be a folder'], folders: [] })
})

test('symbolic links outside the folder are not followed', () => {
  const site = createBlueprints({ 'pages/note.yml': 'text' })
  const folder = join(site, 'blueprints/pages')
  writeFileSync(join(site, 'secret.yml'), 'secret: true')
  symlinkSync('note.yml', join(folder, 'alias.yml'))
  symlinkSync('../../secret.yml', join(folder, 'out.yml'))
  symlinkSync('/etc/passwd', join(folder, 'passwd.yml'))
  symlinkSync('/dev/zero', join(folder, 'endless.yml'))
  symlinkSync('nothing.yml', join(folder, 'lost.yml'))
  symlinkSync('circle.yml', join(folder, 'circle.yml'))
  symlinkSync('..', join(folder, 'up'))
  const { texts, problems } = read(site)
  expect(texts).toEqual({
    'pages/note': 'text',
    'pages/alias': 'text',
    'pages/out': undefined,
    'pages/passwd': undefined,
    'pages/endless': undefined,
    'pages/lost': undefined,
    'pages/circle': undefined,
  })
  expect(problems).toEqual([
    'blueprints/pages/circle.yml this link leads back to itself',
    'blueprints/pages/endless.yml this leads out of the folder',
    'blueprints/pages/lost.yml this link is broken',
    'blueprints/pages/out.yml this leads out of the folder',
    'blueprints/pages/passwd.yml this leads out of the folder',
  ])
})

test('the folder itself may be a symbolic link', () => {
  const [site, other] = [createBlueprints(), createBlueprints({ 'site.yml': 'text' })]
  symlinkSync(join(other, 'blueprints'), join(site, 'blueprints'))
  symlinkSync('site.yml', join(other, 'blueprints/alias.yml'))
  expect(read(site)).toMatchObject({ texts: { site: 'text', alias: 'text' }, problems: [] })
})

test('binary files are ignored', async () => {
  const site = createBlueprints({
    'a.yml': Buffer.from([0x61, 0xff, 0xfe]),
    'b.yml': 'x'.repeat(10 * 1024 * 1024),
    'c.yml': Buffer.from('﻿title: ä'),
    'd.yaml': '',
  })
  mkdirSync(join(site, 'blueprints/e.yml'))
  const socket = createServer().listen(join(site, 'blueprints/f.yml'))
  onTestFinished(() => void socket.close())
  await once(socket, 'listening')
  const { texts, problems } = read(site)
  expect(texts).toEqual({ a: undefined, b: undefined, c: 'title: ä', f: undefined })
  expect(problems).toEqual([
    'blueprints/a.yml this is not UTF-8 text',
    'blueprints/b.yml this is larger than 100 KB',
    'blueprints/d.yaml the name of a blueprint ends with .yml',
    'blueprints/f.yml this is not a file',
  ])
})

test('file names are restricted', () => {
  const site = createBlueprints({
    'pages/a b.yml': '',
    'pages/...yml': '',
    'pages/a..b.yml': '',
    'pages/ä.yml': '',
    'x.y/note.yml': '',
  })
  const { texts, problems } = read(site)
  expect(texts).toEqual({})
  expect(problems).toHaveLength(4) // a name that begins with a dot is hidden
})

test('number and depth of files are limited', () => {
  const site = createBlueprints({ 'a/b/c/d/e/f/g.yml': '' })
  for (let count = 0; count < 2010; count++) writeBlueprint(site, `x${count}.yml`, '')
  const { texts, problems } = read(site)
  expect(Object.keys(texts)).toHaveLength(2000)
  expect(problems).toEqual([
    'blueprints/a/b/c/d/e this folder is nested too deeply and is not read',
    expect.stringMatching(/there are more than 2000 blueprints; this one and those after it are not read$/),
  ])
})

test('only blueprints count, and too many of them are reported once', () => {
  const site = createBlueprints()
  for (let count = 0; count < 2000; count++) writeBlueprint(site, `fields/a/b/x${count}.yml`, '')
  for (const path of ['fields/a/b/y.md', 'fields/a/readme', 'fields/z/notes.txt', 'readme.md'])
    writeBlueprint(site, path, '')
  expect(read(site).problems).toEqual([])
  for (const path of ['fields/a/y.yml', 'fields/y.yml', 'site.yml']) writeBlueprint(site, path, '')
  const { texts, problems } = read(site)
  expect(Object.keys(texts)).toHaveLength(2000)
  expect(problems).toEqual([
    'blueprints/fields/a/y.yml there are more than 2000 blueprints; this one and those after it are not read',
  ])
})

test.skipIf(process.getuid?.() === 0)('unreadable files are reported', () => {
  const site = createBlueprints({ 'a.yml': '' })
  chmodSync(join(site, 'blueprints/a.yml'), 0)
  expect(read(site).problems).toEqual(['blueprints/a.yml the server may not read this'])
})
