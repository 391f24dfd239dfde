/**
 * Writes the table in docs/security/sign-in.md: every adversarial case, and the tests whose titles begin with its id.
 * Run it with `node tools/cases.ts` after a title has changed.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'

const root = join(import.meta.dirname, '..')
const path = join(root, 'docs/security/sign-in.md')

const sections: Record<string, string> = {
  A: 'HTTP and framing',
  B: 'The body',
  C: 'E-mail addresses',
  D: 'Passwords',
  E: 'Account enumeration',
  F: 'Cross-site requests',
  G: 'Sessions and cookies',
  H: 'Throttling',
  I: 'Second factors',
  J: 'Passkeys',
  K: 'Reset, invitation and set-up',
  L: 'Races',
  M: 'Overload, outages, clocks',
  N: 'Accounts, tokens and Basic',
  O: 'Events and logs',
}

/** The adversarial cases by id. */
export const cases: Record<string, string> = {
  A01: 'other methods at the three addresses',
  A02: 'credentials in the address of a GET',
  A04: 'HEAD beside GET',
  A07: 'other media types than JSON',
  A09: 'a compressed body',
  A10: 'two statements of the length of one message',
  A12: 'lengths that are not numbers',
  A14: 'broken and endless chunks',
  A15: 'other codings of a message than chunks',
  A17: 'two Authorization headers',
  A18: 'a header twice that may occur once',
  A20: 'several requests in one packet',
  A21: 'garbage after a login request',
  A22: 'headers that arrive slowly',
  A23: 'bodies that arrive slowly',
  A25: 'what a 401 asks for',
  A26: 'errors in the form the caller asks for',
  A27: 'plain HTTP where HTTPS is configured',
  A28: 'type, length and protective headers of every answer',
  A29: 'other spellings of the three addresses',
  B01: 'a body that is not an object',
  B02: 'a body that is not JSON, or not UTF-8',
  B03: 'a key that occurs twice',
  B04: 'keys that reach a prototype',
  B06: 'a password that is not a string',
  B07: '`long` that is not a boolean',
  B08: 'an email address that is not a string',
  B10: 'bodies that are deep, wide or large',
  B11: 'fields and methods that do not exist',
  B14: 'half of a surrogate pair',
  B15: 'numbers at the limits',
  B16: 'fields that are missing or empty',
  B17: 'the longest address',
  B18: 'invalid challenges',
  B19: 'a double click',
  B20: 'parameters in the query of a login',
  B22: 'logout with a body',
  C02: 'letters composed in two ways',
  C03: 'letters that look or fold alike',
  C06: 'spellings of a domain',
  C07: 'invalid domains',
  C08: 'invisible and control characters',
  C09: 'attempts to add a second address or header',
  C10: 'tags and dots before the @',
  C13: 'a reset for an address that only looks alike',
  C14: 'an emoji before the @',
  C15: 'two accounts made at once with one address',
  D01: 'passwords that are too short',
  D02: 'a shorter password where a second factor is required',
  D04: 'passwords of one kind of character',
  D05: 'long passwords, equal at the beginning',
  D06: 'passwords in every script',
  D07: 'common passwords',
  D09: 'passwords made of names',
  D10: 'spaces at the start and the end',
  D11: 'NUL inside a password',
  D12: 'a password composed in another way',
  D13: 'characters that only look alike',
  D14: 'caps lock',
  D15: 'the current password as the new one',
  D17: 'reference hashes of argon2id',
  D18: 'stored hashes that are broken or would exhaust the server',
  D19: 'old and imported hashes, renewed after a login',
  E01: 'the bytes of every kind of failed login',
  E02: 'the work and the statements of every kind of failed login',
  E04: 'the time of cheap, old and imported hashes',
  E07: 'a mail server that fails for real accounts only',
  E09: 'why a cookie is no longer valid',
  E10: 'the list of ways to sign in',
  F02: 'a cross-site request according to the browser',
  F04: 'origins similar to that of the site',
  F08: 'a wrong or foreign CSRF token',
  F09: 'a CSRF token at another place than its header',
  F10: 'the attributes that limit cookies to this site',
  F13: 'preflights',
  F21: 'GET changes nothing',
  F22: 'caching of responses',
  F24: 'a site on plain HTTP for development',
  F25: 'a client that keeps the cookie of an ended session',
  G01: 'a user and a role that change during a session',
  G02: 'guessing a token, and reading one from the store',
  G04: 'a token at another place than its cookie',
  G05: 'signing in again in the same browser',
  G06: 'signing in with another account in the same browser',
  G07: 'a token planted before the login',
  G08: 'one kind of secret used as another',
  G09: 'damaged tokens and cookie headers',
  G10: 'an hour without a request',
  G11: 'activity beyond the maximum lifetime of a session',
  G12: 'how often activity is written; what reauthentication restarts',
  G13: 'the idle and the absolute limit of a long session',
  G14: 'a cookie saved before the logout',
  G15: 'logout with every kind of cookie, and without a store',
  G16: 'a new password',
  G17: 'a removed factor, a former epoch',
  G18: 'disabled and deleted accounts',
  G20: 'the exact cookies',
  G23: 'two cookies of one name',
  G24: 'a proxy that does not name the protocol',
  G25: 'the token in a response',
  G26: 'the size of the cookies',
  G27: 'a session row written by hand',
  G28: 'what logout clears',
  G29: 'the daily new token of a long session',
  G31: 'a new token that did not reach the client',
  G33: 'keys that are rotated, and foreign keys',
  H01: 'many attempts from one address',
  H02: 'many attempts from one network',
  H03: 'what a refused attempt costs',
  H04: 'other spellings to get another bucket',
  H05: 'many attempts for one account',
  H06: 'attempts while throttled',
  H07: 'how the waiting time grows, and when it is reset',
  H08: 'a success between failures',
  H09: 'locking out the owner of an account',
  H10: 'device cookies that are foreign, damaged or revoked',
  H11: 'device cookies made from the table',
  H12: 'devices after a new password',
  H13: 'a hundred wrong passwords in a row',
  H14: 'after the hundredth',
  H15: 'ninety-nine and a success',
  H16: 'a disabled password that is enabled again',
  H17: 'a hundred requests for a reset',
  H18: 'a forged X-Forwarded-For',
  H19: 'X-Forwarded-For behind a trusted proxy',
  H20: 'an unreadable X-Forwarded-For',
  H21: 'the many addresses of IPv6',
  H22: 'the headers of a refusal',
  H23: 'what other responses reveal about limits',
  H24: 'what a refusal reveals about the account',
  H25: 'a success after many failures',
  H26: 'limits across processes and restarts',
  H27: 'a clock that was months ahead',
  H28: 'a device cookie of another account',
  I01: 'the right password without the second factor',
  I04: 'codes of neighbouring times, and other texts',
  I05: 'a code used twice',
  I06: 'guessing within one challenge',
  I07: 'guessing over many challenges',
  I08: 'a hundred wrong codes in a row',
  I09: 'the right password with a wrong code',
  I10: 'the odds of guessing for a day',
  I11: 'the strength and the storage of recovery codes',
  I12: 'recovery codes, used twice or by others',
  I13: 'an outage while a code is verified',
  I15: 'skipping the first step',
  I16: 'the code of another account',
  I17: 'a second step in a browser signed in with another account',
  I18: 'an account that changes between the steps',
  I19: 'an expired challenge',
  I20: 'cookies of the first step',
  I21: 'the code beside the password',
  I22: 'a long session over two steps',
  I24: 'a copy of the store, and a lost key',
  I25: 'removing the last factor that the role requires',
  J01: 'beginning with a passkey',
  J02: 'signing in with a passkey alone',
  J03: 'naming an account at the beginning',
  J04: 'challenges that are expired, used or of another account',
  J05: 'signatures for another site or purpose',
  J06: 'the published test vectors, and three kinds of keys',
  J07: 'user not present, user not verified, contradictory flags',
  J08: 'a copied key',
  J10: 'unknown and removed passkeys, closed accounts',
  J12: 'credentials that are damaged, huge or invalid',
  J13: 'two finishes at once',
  K01: 'asking for a reset',
  K02: 'a reset for an unknown address',
  K03: 'the right code of a reset',
  K04: 'a code of a reset used twice',
  K05: 'a reset to get around the second factor',
  K06: 'codes used for another purpose',
  K07: 'an expired reset',
  K08: 'guessing the code of a reset',
  K09: 'a code with the handle of another',
  K10: 'where the token of a link is sent',
  K11: 'an invitation',
  K12: 'an invitation used twice, or too late',
  K13: 'an invitation sent again',
  K14: 'signing in before the account is active',
  K15: 'setting up a site without its token, twice or concurrently',
  K17: 'a password that changes while a reset is open',
  K18: 'a mail server that is down, slow or refuses',
  L01: 'login while the password changes',
  L02: 'login while a reset is completed',
  L04: 'login while the account is disabled or deleted',
  L05: 'a role that changes during requests',
  L06: 'one code, many times at once',
  L07: 'one recovery code, many times at once',
  L08: 'right and wrong codes at once',
  L09: 'many logouts at once',
  L10: 'more sessions than the limit',
  L11: 'wrong guesses with the right one among them, at once',
  L12: 'many attempts at once on one bucket',
  L13: 'two new passwords at once',
  L15: 'a renewed hash while the password changes',
  L16: 'removing a factor during the second step',
  L17: 'ending a session while it is used',
  L18: 'sweeping during logins',
  L20: 'rotating keys during traffic',
  L21: 'everything at once, for deadlocks',
  L22: 'a new token while logging out',
  M01: 'more logins than the server can hash',
  M02: 'the memory of many logins',
  M04: 'one client that fills the queue',
  M05: 'the store lost at any moment of a login',
  M06: 'a slow store',
  M10: 'a full disk',
  M11: 'a process that is killed during a login',
  M12: 'external services that cannot be reached',
  M13: 'a clock of the application that is wrong',
  M16: 'times far in the past and the future',
  M19: 'stopping during logins',
  M23: 'several users of one network at the same time',
  M21: 'many clients that fill the queue of hashes',
  M22: 'hashing or randomness that fails',
  M20: 'an unexpected exception',
  N01: 'sessions of the own account',
  N02: 'sessions of another account',
  N03: 'ending the sessions of all accounts',
  N05: 'a new password without the current one',
  N06: 'setting the password of another account',
  N07: 'sensitive changes long after the sign-in',
  N08: 'roles, tokens and deletion long after the sign-in',
  N09: 'secrets of an authenticator app',
  N10: 'new recovery codes with a password only',
  N11: 'a factor removed by an administrator',
  N12: 'removed factors',
  N13: 'what an API token is and shows',
  N14: 'the permissions and the expiry of an API token',
  N15: 'an API token at another place than its header',
  N16: 'Basic credentials',
  N17: 'managing an account with more permissions than the caller',
  N18: 'fields that no client may set',
  N19: 'any sequence of account operations',
  N20: 'API tokens after a compromise',
  N21: 'API tokens for another account',
  N22: 'a Basic client while another client guesses passwords',
  N23: 'renaming an administrator',
  O01: 'secrets in logs and events',
  O02: 'forged log lines',
  O03: 'a password typed as an address',
  O04: 'browsers and addresses in events',
  O05: 'every event, once and complete',
  O06: 'mails about suspicious sign-ins',
  O07: 'mails about changes',
  O08: 'attempts without permission',
  O09: 'changing and deleting events',
  O10: 'how long events are kept, and which of their data',
  O12: 'what is left of an account that was deleted',
}

/** Cases without an automated test, with the reason. */
export const untested: Record<string, string> = {}

interface FoundTest {
  file: string
  title: string
}

/** Titles such as `H07: waits double …` or `A17, A18: …`, by id. */
export function testsById(): Map<string, FoundTest[]> {
  const found = new Map<string, FoundTest[]>()
  for (const name of globSync('{src,client,test,tools}/**/*.test.ts', { cwd: root }).toSorted()) {
    const file = name.split(sep).join('/')
    const text = readFileSync(join(root, name), 'utf8')
    for (const [, , ids, title] of text.matchAll(/(['"`])((?:[A-O]\d\d(?:, )?)+):? ((?:(?!\1)[^\\\n]|\\.)+)\1/g)) {
      for (const id of ids!.split(', ')) found.set(id, [...(found.get(id) ?? []), { file, title: title! }])
    }
  }
  return found
}

function table(): string {
  const tests = testsById()
  const lines: string[] = []
  for (const [letter, name] of Object.entries(sections)) {
    lines.push('', `### ${letter}. ${name}`, '', '| Case | What is tried | Tests |', '| - | - | - |')
    for (const id of [...new Set([...Object.keys(cases), ...tests.keys()])].toSorted()) {
      if (!id.startsWith(letter)) continue
      const where = (tests.get(id) ?? []).map(({ file, title }) => `[${file}](../../${file}): ${plain(title)}`)
      lines.push(`| ${id} | ${cases[id] ?? ''} | ${where.join('<br>') || (untested[id] ?? '')} |`)
    }
  }
  return lines.join('\n')
}

/** A title as text in a table. Placeholders of `test.each` become `…`. */
function plain(title: string): string {
  return title
    .replaceAll(/%\.?\d*[a-z]/g, '…')
    .replaceAll('\\', '')
    .replaceAll(/[|<>*_`[\]]/g, String.raw`\$&`)
}

const [begin, end] = ['<!-- cases -->', '<!-- /cases -->']

export function document(): string {
  const [before, rest = ''] = readFileSync(path, 'utf8').split(begin)
  return `${before}${begin}\n${table()}\n\n${end}${rest.split(end)[1]}`
}

export function isFresh(): boolean {
  return readFileSync(path, 'utf8') === document()
}

if (import.meta.main) writeFileSync(path, document())
