const minutes = 60_000

/**
 * After so many failures in a row a password or a factor, never the account, is switched off until it is set anew
 * (NIST SP 800-63B 3.2.2).
 */
export const maxFailures = 100

/**
 * How often something may be tried. `rate`: so many within a period, flowing back evenly. `waits`: so many at once, then
 * each further try only after a wait that doubles; nothing is ever locked for good.
 */
export type Policy =
  | { kind: 'rate'; limit: number; period: number }
  | { kind: 'waits'; free: number; waits: readonly number[]; forget: number }

export const policies = {
  /** One address (IPv4) or one customer's network (IPv6 /64). */
  ip: { kind: 'rate', limit: 30, period: 5 * minutes },
  /** One larger network: spraying from many addresses of one provider. */
  net: { kind: 'rate', limit: 200, period: 10 * minutes },
  /** One typed e-mail address, whether or not an account has it. */
  acct: {
    kind: 'waits',
    free: 5,
    waits: [0.5, 1, 2, 4, 8, 16, 32, 60].map(wait => wait * minutes),
    forget: 24 * 60 * minutes,
  },
  /** A device that has signed in to the account before is judged alone: strangers cannot lock its owner out. */
  dev: { kind: 'rate', limit: 10, period: 15 * minutes },
  /** Basic from a network that has signed in to the account by it before: guesses from elsewhere do not lock it out. */
  basic: {
    kind: 'waits',
    free: 5,
    waits: [0.5, 1, 2, 4, 8, 16, 32, 60].map(wait => wait * minutes),
    forget: 24 * 60 * minutes,
  },
  /** Basic with what was right a moment ago: no guess, but each one costs a hash. */
  basicRepeated: { kind: 'rate', limit: 60, period: 5 * minutes },
  /** Second factors of one account, over all challenges. */
  otp: { kind: 'rate', limit: 10, period: 15 * minutes },
  /** Beginning with a passkey: each one is a row, and nobody is known yet. */
  passkey: { kind: 'rate', limit: 60, period: 5 * minutes },
  /** Links by mail that strangers ask for, to one address, whether or not an account has it: never more than three in a quarter of an hour. */
  mail: { kind: 'waits', free: 3, waits: [15 * minutes], forget: 15 * minutes },
  mailDay: { kind: 'rate', limit: 10, period: 24 * 60 * minutes },
  /** Links of one kind to one address by those who are known: strangers cannot use these up. */
  mailSent: { kind: 'waits', free: 3, waits: [15 * minutes], forget: 15 * minutes },
  mailSentDay: { kind: 'rate', limit: 10, period: 24 * 60 * minutes },
  /** New addresses that one account wishes for: each may be somebody else's mailbox, or tell that it has an account. */
  email: { kind: 'rate', limit: 5, period: 60 * minutes },
  /** Asking for such a link, from one address: each one is a row. */
  reset: { kind: 'rate', limit: 60, period: 5 * minutes },
  /** Warnings to one account about what others try. */
  warning: { kind: 'rate', limit: 1, period: 60 * minutes },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof policies
