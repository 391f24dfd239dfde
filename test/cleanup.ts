import { afterAll, beforeEach } from 'vitest'
import { errorKeysMustBeListed } from './error-keys.ts'
import { cleanUp, engine } from './harness.ts'
import { isDaily } from './on-postgres.ts'
import { isSlow } from './slow.ts'

// Modules are loaded once per worker, but setup files run for each test file.
if (!isSlow)
  beforeEach(({ task, skip }) => {
    if (!isDaily(engine, task.file.name, task.name)) skip()
  })
afterAll(async () => {
  await cleanUp()
  errorKeysMustBeListed()
})
