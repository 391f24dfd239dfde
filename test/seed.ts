/**
 * Properties are tested with the same values in every `npm test`, so that no change fails by a rare value that has nothing
 * to do with it, and with new ones in every slow run.
 */
import fc from 'fast-check'
import { isSlow } from './slow.ts'

if (!isSlow) fc.configureGlobal({ seed: 1 })
