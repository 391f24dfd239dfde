const minutes = 60_000

/**
 * After this many consecutive failures a password or a factor, never the account, is disabled until it is set anew
 * (NIST SP 800-63B 3.2.2).
 */
export const maxFailures = 100

/**
 * How often something may be attempted. `rate`: `limit` attempts per `period`, refilled evenly. `waits`: `free`
 * attempts at once, then each further one only after a wait that grows, until there was none for `forget`; nothing is ever
 * locked permanently. All times in ms.
 */
export type Policy =
  | { kind: 'rate'; limit: number; period: number }
  | { kind: 'waits'; free: number; waits: readonly number[]; forget: number }

export const policies = {
  /** One address (IPv4) or one customer's network (IPv6 /64). */
  ip: { kind: 'rate', limit: 30, period: 5 * minutes },
  /** One larger network: password spraying from many addresses of one provider. */
  net: { kind: 'rate', limit: 200, period: 10 * minutes },
  /** One typed e-mail address, whether or not an account has it. */
  acct: {
    kind: 'waits',
    free: 5,
    waits: [0.5, 1, 2, 4, 8, 16, 32, 60].map(wait => wait * minutes),
    forget: 24 * 60 * minutes,
  },
  /** A device that has signed in to the account before has a limit of its own: others cannot lock its owner out. */
  dev: { kind: 'rate', limit: 10, period: 15 * minutes },
  /**
   * Basic authentication from a network that has used it for this account before: guesses from elsewhere do not lock it
   * out.
   */
  basic: {
    kind: 'waits',
    free: 5,
    waits: [0.5, 1, 2, 4, 8, 16, 32, 60].map(wait => wait * minutes),
    forget: 24 * 60 * minutes,
  },
  /**
   * Basic authentication with credentials that were right a moment ago: no guess, but each one costs a password hash.
   */
  basicRepeated: { kind: 'rate', limit: 60, period: 5 * minutes },
  /** Second factors of one account, over all challenges. */
  otp: { kind: 'rate', limit: 10, period: 15 * minutes },
  /** Starting a passkey sign-in: each start inserts a row, and the account is not known yet. */
  passkey: { kind: 'rate', limit: 60, period: 5 * minutes },
  /**
   * Links by mail that unauthenticated clients request, to one address, whether or not an account has it: at most three
   * in 15 minutes.
   */
  mail: { kind: 'waits', free: 3, waits: [15 * minutes], forget: 15 * minutes },
  mailDay: { kind: 'rate', limit: 10, period: 24 * 60 * minutes },
  /**
   * Links of one kind to one address that known callers request: counted separately, so that others cannot use them
   * up.
   */
  mailSent: { kind: 'waits', free: 3, waits: [15 * minutes], forget: 15 * minutes },
  mailSentDay: { kind: 'rate', limit: 10, period: 24 * 60 * minutes },
  /**
   * New e-mail addresses that one account requests: each may be another person's mailbox, or reveal that it has an
   * account.
   */
  email: { kind: 'rate', limit: 5, period: 60 * minutes },
  /** Requests for such a link from one IP address: each inserts a row. */
  reset: { kind: 'rate', limit: 60, period: 5 * minutes },
  /** Requests for review that send mails: of one page in one language, and of one account. */
  review: { kind: 'rate', limit: 1, period: 10 * minutes },
  reviewsOfUser: { kind: 'rate', limit: 30, period: 60 * minutes },
  /** Mails to accounts that one account mentions in comments. */
  mentionsOfUser: { kind: 'rate', limit: 60, period: 60 * minutes },
  /** Warnings to one account about attempts by others. */
  warning: { kind: 'rate', limit: 1, period: 60 * minutes },
} as const satisfies Record<string, Policy>

export type PolicyName = keyof typeof policies
