import { expect, test } from 'vitest'
import type { DrillResponse, Send } from './drill/http.ts'
import { findLost, type Outcome } from './drill/load.ts'
import { help, readOptions } from './drill/options.ts'
import { type FaultResult, isPassed, secondsOfErrors, statusesOf, tableOf } from './drill/report.ts'

test('the options: all faults within 15 minutes, or those that are named', () => {
  expect(readOptions([])).toMatchObject({ only: [], minutes: 15, isHelp: false })
  expect(readOptions(['--only', 'worker', '--only', 'disk', '--minutes', '3'])).toMatchObject({
    only: ['worker', 'disk'],
    minutes: 3,
  })
  expect(() => readOptions(['--only', 'nothing'])).toThrow('There is no fault nothing')
  for (const minutes of ['16', '0', '-1', 'x', ''])
    expect(() => readOptions([`--minutes=${minutes}`])).toThrow('--minutes')
  for (const name of ['primary', 'stopped-quoin', 'rolling']) expect(help).toContain(name)
})

const outcome = (sentAt: number, status: number | string, more: Partial<Outcome> = {}): Outcome => ({
  kind: 'read',
  sentAt,
  durationMs: 100,
  status,
  key: status === 503 ? 'error.unavailable' : undefined,
  isError: status !== 200,
  ...more,
})

test('the figures of a fault', () => {
  const outcomes = [outcome(1000, 200), outcome(2000, 503), outcome(4400, 'ECONNRESET'), outcome(4000, 502)]
  expect(secondsOfErrors(outcomes)).toBe(2.5)
  expect(secondsOfErrors(outcomes.slice(0, 1))).toBe(0)
  expect(statusesOf([...outcomes, outcome(0, 200)])).toBe('200 × 2, 503 × 1, ECONNRESET × 1, 502 of HAProxy × 1')
})

test('a drill fails for a lost write, an ended session, a long wait, a 500, and a system that does not recover', () => {
  const good: FaultResult = { name: 'x', description: 'X', outcomes: [outcome(0, 503)], lost: [], served: 0 }
  expect(isPassed(good)).toBe(true)
  const bad: Partial<FaultResult>[] = [
    { lost: ['page a'] },
    { served: 1 },
    { outcomes: [outcome(0, 200, { durationMs: 5001 })] },
    { outcomes: [outcome(0, 500)] },
    { problem: 'not recovered' },
  ]
  for (const one of bad) expect([one, isPassed({ ...good, ...one })]).toEqual([one, false])
  const table = tableOf([good, { ...good, ...bad[0], skipped: 'no root' }]).split('\n')
  expect(new Set(table.map(line => line.split('|').length))).toEqual(new Set([11]))
})

test('what was acknowledged must be there; the last change may also be one whose answer is unknown', async () => {
  const stored: Record<string, string> = { a: '2', b: '3', c: '1' }
  const send: Send = async ({ path }) => {
    const text = stored[/^\/api\/pages\/(\w+)/.exec(path)?.[1] ?? ''] ?? ''
    const body = path === '/media/x' ? 'bytes' : JSON.stringify({ data: { content: { text } } })
    return { status: text === '' && path !== '/media/x' ? 404 : 200, body: Buffer.from(body) } as DrillResponse
  }
  const pages = new Map([
    ['a', { acknowledged: '2' }],
    ['b', { acknowledged: '2', attempted: '3' }],
    ['c', { acknowledged: '2', attempted: '3' }],
    ['d', { acknowledged: '0' }],
  ])
  const files = new Map([
    ['/media/x', 'bytes'],
    ['/media/y', 'bytes'],
  ])
  const lost = await findLost(send, 'token', { pages, files, revoked: [] })
  expect(lost).toEqual(['page c: 2, found 1', 'page d: 0, found 404', 'file /media/y: 404'])
})
