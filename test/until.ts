import { vi } from 'vitest'

/** Waits until the check passes. The long timeout is only for code that hangs: a busy machine may be slow. */
export const until = <Value>(check: () => Value) => vi.waitFor(check, { timeout: 120_000, interval: 10 })
