import { vi } from 'vitest'

/**
 * Repeats the check until it no longer throws, and returns its result. It fails only after two minutes, because a busy
 * machine may be slow: the timeout is for code that hangs.
 */
export const until = <Value>(check: () => Value) => vi.waitFor(check, { timeout: 120_000, interval: 10 })
