import { afterAll } from 'vitest'
import { cleanUp } from './harness.ts'

// Modules are shared by all files of a worker, but this one is run for each of them.
afterAll(cleanUp)
