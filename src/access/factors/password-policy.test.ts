import { hash } from 'node:crypto'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { App } from '../../app.ts'
import { createTestApp } from '../../../test/harness.ts'
import { replacing } from '../../../test/sign-in.ts'
import { passwordMustBeValid } from '../../groups/users/rules.ts'
import { isListed } from './common-passwords.ts'
import { passwordProblems } from './password-policy.ts'
import { rounds } from '../../../test/slow.ts'

const { app } = await createTestApp({
  settings: { url: 'https://www.water-works.example.org/cms', trustedProxies: ['127.0.0.1'] },
})

const problems = (password: string, { minLength = 15, context = [] as string[] } = {}) =>
  passwordProblems(app, { password, minLength, context }).map(({ key }) => key.replace('password.', ''))

/** Random, but the same in every run: one random text in four million is on the list of common passwords. */
const randomText = (seed: number, encoding: 'base64' | 'hex' = 'base64') => hash('sha512', String(seed), encoding)

// ---- length

test('D01: 14 characters are too short, 15 are enough', () => {
  expect(problems('kelp over stone')).toEqual([])
  expect(problems('kelp over ston')).toEqual(['tooShort'])
  expect(problems('')).toEqual(['tooShort'])
})

test('D02: with a required second factor 8 characters are enough', () => {
  expect(problems('Xk3$9qLp', { minLength: 8 })).toEqual([])
  expect(problems('Xk3$9qL', { minLength: 8 })).toEqual(['tooShort'])
})

test('D01: characters are counted as code points', () => {
  const emoji = ['🦊', '🐻', '🐼', '🐨', '🐯', '🦁', '🐮', '🐷', '🐸', '🐵', '🐔', '🐧', '🐦', '🐤', '🦆']
  expect(problems(emoji.join(''))).toEqual([])
  expect(problems(emoji.slice(1).join(''))).toEqual(['tooShort'])
  // In another Unicode composition it is the same password, of the same length.
  expect(problems('é'.normalize('NFD').repeat(8))).toEqual(['tooShort'])
})

const longText = Array.from({ length: 6 }, (_, seed) => randomText(seed))
  .join('')
  .slice(0, 513)

test.each([64, 73, 200, 512])('D05: %d characters are allowed', length => {
  expect(problems(longText.slice(0, length))).toEqual([])
})

test('D05: more than 512 characters or 2,048 bytes are refused', () => {
  expect(problems(longText)).toEqual(['tooLong'])
  expect(problems('🦊🐻🐼🐨'.repeat(129))).toEqual(['tooLong'])
})

test('a lone surrogate is refused', () => {
  expect(problems(`kelp over stone \ud800`)).toEqual(['malformed'])
})

// ---- no required character classes

test.each([
  ['only blanks', ' '.repeat(15)],
  ['only digits', '839201746529371'],
  ['only small letters', 'kelpoverstonewall'],
  ['only capitals', 'KELP OVER STONE WALL'],
  ['only Chinese', '山高月小水落石出清风徐来水波不兴'],
  ['only Arabic', 'الشمس تشرق على البحر'],
  ['only signs', '!)(=?§%&/$#+*~-_.'],
])('D04: %s is accepted', (_, password) => {
  expect(problems(password)).toEqual([])
})

// ---- lists

test.each([
  'password123456789',
  'correcthorsebatterystaple',
  'correct horse battery staple',
  'CorrectHorseBatteryStaple1',
  'correct-horse-battery-staple!',
  'ｐａｓｓｗｏｒｄ123456789',
  'P@ssw0rd123456789',
  '123456789password',
  '!!!password2024!!!',
  'dragon24121987!!!',
  'motdepasse123456',
  'iloveyou12345678',
  'qwertyuiop123456',
  '1qaz2wsx3edc4rfv',
  'q1w2e3r4t5y6u7i8',
  'spongebobsquarepants',
  'To be or not to be, that is the question',
  'responsibilities',
  'passwordpassword',
])('D07: %s is a common password', password => {
  expect(problems(password)).toEqual(['common'])
})

test.each(['password', 'p@ssw0rd', 'trustno1', 'iloveyou', 'dragon12', 'hello123', 'baseball', '12345678', 'letmein!'])(
  'D07: %s is refused where 8 characters are enough',
  password => {
    expect(problems(password, { minLength: 8 })).toEqual(['common'])
  },
)

test('D07: the list is as long as the standards require, for both lengths', () => {
  // The file says nothing about lengths; tools/passwords.ts says how many there are. These are samples of its whole width.
  const long = 'ilovechrisbrown togetherforever californication webelongtogether insaneclownposse applesandbananas'
  for (const text of `${long} debbiedoesdallas slipperywhenwet assalamualaikum`.split(' ')) {
    expect(problems(text), `for ${text}`).toEqual(['common'])
  }
})

test('texts outside the list are not found in it', () => {
  const found = Array.from({ length: 3000 }, (_, seed) => randomText(seed, 'hex').slice(0, 16)).filter(isListed)
  expect(found).toEqual([])
})

// ---- patterns

test.each([
  ['aaaaaaaaaaaaaaaab', 'sequence'],
  ['🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊', 'repeated'],
  ['abcabcabcabcabcabc', 'repeated'],
  ['k p w k p w k p w k p w', 'repeated'],
  ['Summer2024!Summer2024!', 'repeated'],
  ['kelpwall kelpwall', 'repeated'],
  ['1234567890123456', 'sequence'],
  ['zyxwvutsrqponmlk', 'sequence'],
  ['lkjhgfdsapoiuytrewq', 'sequence'],
  ['qwerty123456abcdef', 'sequence'],
  ['йцукенгшщзхъфыва', 'sequence'],
])('%s is refused as a pattern', (password, rule) => {
  expect(problems(password)).toEqual([rule])
})

test.each(['aaaaaaaaaaaaaaaa', 'abcdefghijklmnop', 'qwertyuiopasdfgh', '12345678901234567890'])(
  'D07: %s is refused, on the list or as a pattern',
  password => {
    expect(problems(password)).toHaveLength(1)
  },
)

test('a long enough part may be repeated', () => {
  expect(problems('kelp over stone wall, kelp over stone wall, ')).toEqual([])
})

// ---- names

const context = ['Ada Lovelace', 'ada.king']

test.each([
  'lovelace-lovelace!',
  'AdaLovelace2024!',
  'ada.lovelace.1815',
  'L0vel@ce rocks 42',
  'quoin quoin 98 quoin',
  'water-works-4711',
  'example.org-4711',
])('D09: %s consists mostly of a name', password => {
  expect(problems(password, { context })).toContain('contextWord')
})

test.each([
  'lovelace walks over the far hills',
  'cold water runs to the mill wheel',
  'a quoin, a mallet and some type',
  'king of the northern wind', // too short a name to be one
])('D09: %s contains a name and enough other characters', password => {
  expect(problems(password, { context })).toEqual([])
})

test('D09: empty and short names and names without letters are ignored', () => {
  const odd = ['', 'Al', '李', '....', '1234', '(((', 'e']
  expect(problems('the eagle has 1234 feathers', { context: odd })).toEqual([])
})

// ---- typical passwords

test('long passphrases of ordinary words are accepted', () => {
  const lists = createRequire(import.meta.url)('zxcvbn/lib/frequency_lists.js') as Record<string, string[]>
  const words = lists['english_wikipedia']!.slice(0, 5000).filter(word => /^[a-z]{4,}$/.test(word))
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.constantFrom(...words), { minLength: 4, maxLength: 7 }),
      fc.constantFrom(' ', '-', ''),
      (some, between) => {
        expect(problems(some.join(between))).toEqual([])
      },
    ),
    { seed: 7, numRuns: rounds(100, 500) },
  )
})

test('punctuation between letters counts', () => {
  expect(problems('pa#$=ss{(wo?/%rd)&~')).toEqual([])
})

test('random passwords are accepted', () => {
  for (let round = 0; round < 300; round++) {
    const password = randomText(round).slice(0, 20)
    expect(problems(password), `for ${password}`).toEqual([])
  }
})

test('any input gets a result', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.string({ unit: 'grapheme', maxLength: 600 }))
  fc.assert(
    fc.property(text, fc.array(text), fc.integer({ min: 8, max: 64 }), (password, names, minLength) => {
      expect(problems(password, { minLength, context: names }).length).toBeLessThan(3)
    }),
    { numRuns: rounds(25, 100) },
  )
})

// ---- messages to the account

const refusalOf = (password: string, owner: Parameters<typeof passwordMustBeValid>[2] = {}) => {
  try {
    passwordMustBeValid(app, password, owner, ['Saltmarsh Notes'])
  } catch (error) {
    return JSON.parse(JSON.stringify({ ...(error as object), message: (error as Error).message })) as unknown
  }
  return undefined
}

test('a refusal has a rule and a message', () => {
  expect(refusalOf('password123456789')).toMatchObject({
    key: 'user.password.invalid',
    status: 400,
    message: 'Please choose another password. It is a common password.',
    details: {
      password: { label: 'password', message: { common: 'It is a common password.' } },
    },
  })
  expect(refusalOf('waterworks waterworks')).toMatchObject({
    details: {
      password: { message: { repeated: expect.any(String) as string, contextWord: expect.any(String) as string } },
    },
  })
  expect(refusalOf('x'.repeat(513))).toMatchObject({
    key: 'user.password.excessive',
    details: { password: { message: { tooLong: 'It can have at most 512 characters.' } } },
  })
})

test('D09: the name and the mailbox of the owner count as names', () => {
  const owner = { email: 'countess@example.org', name: 'Ada Lovelace' }
  expect(refusalOf('countess of 1815', owner)).toMatchObject({
    details: { password: { message: { contextWord: {} } } },
  })
  expect(refusalOf('countess of 1815')).toBeUndefined()
})

test.each([
  ['the title of the site', 'far hills and saltmarsh-notes at dawn'],
  ['the title in disguise', 'far hills and S4ltm4rshN0tes at dawn'],
  ['the host name', 'far hills of www.water-works.example.org'],
  ['the host name as it is spoken', 'far hills of water-works.example.org'],
  ['the domain', 'far hills and mills of example.org'],
  ['the name of the account', 'Ada Lovelace walks over the far hills'],
])('D09: %s must not occur, however long the rest is', (_, password) => {
  const owner = { email: 'countess@example.org', name: 'Ada Lovelace' }
  expect(refusalOf(password, owner)).toMatchObject({ details: { password: { message: { contextWord: {} } } } })
})

const problemsAt = (url: string, password: string) =>
  passwordProblems({ config: { url } } as App, { password, minLength: 15 }).map(({ key }) => key)

test('D09: below a suffix such as co.uk the domain must not occur, but the suffix may', () => {
  for (const url of ['https://www.water-works.co.uk', 'https://cms.water-works.co.uk', 'https://water-works.co.uk']) {
    expect(problemsAt(url, 'a coukoo walks over the far hills')).toEqual([])
    expect(problemsAt(url, 'far hills and mills of waterworks couk')).toEqual(['password.contextWord'])
  }
  expect(problemsAt('https://co.uk', 'far hills and mills of co.uk')).toEqual(['password.contextWord'])
  expect(problemsAt('https://cms.water.uk', 'far hills and mills of water.uk')).toEqual(['password.contextWord'])
})

test('D02: the role of the owner determines the minimum length', async () => {
  const demanding = { ...app.blueprints.role('admin')!, requireSecondFactor: true }
  await replacing(
    app.blueprints,
    original => ({ role: name => (name === 'guarded' ? demanding : original.role(name)) }),
    async () => {
      expect(refusalOf('Xk3$9qLp', { role: 'guarded' })).toBeUndefined()
      expect(refusalOf('Xk3$9qL', { role: 'guarded' })).toMatchObject({ key: 'user.password.invalid' })
      for (const role of ['admin', 'unknown', undefined]) expect(refusalOf('Xk3$9qLp', { role })).toBeDefined()
    },
  )
})
