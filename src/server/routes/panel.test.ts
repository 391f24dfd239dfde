import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import type { HttpExchange } from '../../access/session/exchange.ts'
import { createPanel } from './panel.ts'

test('a new policy needs a new page: a browser may keep the one that it got before', async () => {
  const { app, storage } = await createTestApp()
  const folder = join(storage.data, 'panel')
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
  const frames = ['https://www.example.org']
  const show = createPanel(app, async () => frames, folder)
  const visit = async (known?: string) =>
    show('', { headers: known === undefined ? {} : { 'if-none-match': known } } as HttpExchange)
  const first = await visit()
  expect(await visit(first.headers['etag'])).toMatchObject({ status: 304 })
  frames.push('https://www.example.de')
  const next = await visit(first.headers['etag'])
  expect(next.status).toBe(200)
  expect(next.headers['content-security-policy']).toContain('https://www.example.de')
})
