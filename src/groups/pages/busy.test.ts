import { expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isSlow } from '../../../test/slow.ts'

test.runIf(isSlow)('of creates below one parent at concurrency 100, in two processes, none fails', async () => {
  const site = await createTestApp({ quiet: true })
  const otherSite = await createTestApp({ quiet: true, storage: site.storage })
  const clients = [await createTokenClient(site), await createTokenClient(otherSite)]
  await addPage(site, '', { slug: 'parent', draft: false })
  const outcomes: Record<string, number> = {}
  let next = 0
  const work = async () => {
    for (let number = next++; number < 300; number = next++) {
      const page = { slug: `a-${number}`, title: `A ${number}` }
      const { status } = await clients[number % 2]!.call('POST', 'pages/parent/children', page)
      outcomes[status] = (outcomes[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: 100 }, work))
  expect(outcomes).toEqual({ 200: 300 })
})
