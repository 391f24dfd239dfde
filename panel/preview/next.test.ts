import { test } from 'vitest'
import { openFrontEnd } from '../../test/front-end.ts'
import { isSlow } from '../../test/slow.ts'

const check = isSlow ? await openFrontEnd('notes-next', 'x-nextjs-cache') : undefined

test.runIf(check)(
  'notes-next: what is typed is in the preview, and for visitors once it is published',
  { timeout: 900_000 },
  async ({ skip }) => check!(skip),
)
