import { test } from 'vitest'
import { openFrontEnd } from '../../test/front-end.ts'
import { isSlow } from '../../test/slow.ts'

const check = isSlow ? await openFrontEnd('notes-astro', 'x-astro-cache') : undefined

test.runIf(check)(
  'notes-astro: what is typed is in the preview, and for visitors once it is published',
  { timeout: 900_000 },
  async ({ skip }) => check!(skip),
)
