import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
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
beforeAll((_, file) => {
  expect(unmatched(file.name, titlesOf(file)), 'patterns of test/on-postgres.ts without a test').toEqual([])
})
afterAll(async () => {
  await cleanUp()
  errorKeysMustBeListed()
})

function titlesOf(task: RunnerTask): string[] {
  return 'tasks' in task ? task.tasks.flatMap(titlesOf) : [task.name]
}
