import { vi } from 'vitest'

/** Waits until the check passes. The time limit only finds what hangs: a busy machine is slow. */
export const until = <Value>(check: () => Value) => vi.waitFor(check, { timeout: 120_000, interval: 10 })
