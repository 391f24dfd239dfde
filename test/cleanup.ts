import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { RunnerTask } from 'vitest'
import { errorKeysMustBeListed } from './error-keys.ts'
import { cleanUp, engine } from './harness.ts'
import { isDaily, unmatched } from './on-postgres.ts'
import { isSlow } from './slow.ts'

// Modules are loaded once per worker, but setup files run for each test file.
if (!isSlow)
  beforeEach(({ task, skip }) => {
    if (!isDaily(engine, task.file.name, task.name)) skip()
  })
// oxlint-disable-next-line no-empty-pattern -- Vitest requires a pattern: it reads the names of fixtures from it
beforeAll(({}, file) => {
  const patterns = unmatched(file.name, titlesOf(file))
  if (patterns.length > 0) throw new Error(`test/on-postgres.ts: no test has a title like ${patterns.join(' or ')}`)
})
afterAll(async () => {
  await cleanUp()
  errorKeysMustBeListed()
})

function titlesOf(task: RunnerTask): string[] {
  return 'tasks' in task ? task.tasks.flatMap(titlesOf) : [task.name]
}
