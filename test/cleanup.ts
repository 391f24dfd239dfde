import { afterAll } from 'vitest'
import { cleanUp } from './harness.ts'

// Modules are loaded once per worker, but setup files run for each test file.
afterAll(cleanUp)
