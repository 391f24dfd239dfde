import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for a random time up to this many milliseconds. */
export const shortly = (milliseconds: number) => sleep(randomInt(milliseconds * 10) / 10)

/**
 * Runs two operations concurrently. On a slow machine one of them may always be first, so in some rounds the second
 * waits for the first, and in some the first for the second.
 */
export async function inEitherOrder<First, Second>(
  round: number,
  first: () => Promise<First>,
  second: () => Promise<Second>,
): Promise<[First, Second]> {
  if (round % 5 === 1) return [await first(), await second()]
  if (round % 5 === 3) {
    const value = await second()
    return [await first(), value]
  }
  return Promise.all([shortly(4).then(first), shortly(8).then(second)])
}
