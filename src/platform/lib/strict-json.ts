type ProblemKind = 'form' | 'utf8' | 'mark' | 'syntax' | 'unicode' | 'depth' | 'members' | 'duplicate' | 'forbidden'

/** Why a text was refused as JSON. Safe to show: it never contains the text. */
export class JsonProblem extends Error {
  readonly kind: ProblemKind
  /** The limit that was exceeded: of the depth or of the number of members. */
  readonly limit: number

  constructor(kind: ProblemKind, limit = 0) {
    super(`refused as JSON: ${kind}`)
    this.kind = kind
    this.limit = limit
  }
}

export interface JsonLimits {
  depth: number
  members: number
}

/** Per object: no content has so many fields, and copying or checking such an object blocks the event loop. */
const maxKeys = 5000
/** Objects and lists of one text: a megabyte of brackets would block the event loop for more than 50 ms. */
const maxContainers = 50_000

const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype'])
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A stricter JSON.parse: strict UTF-8 without byte order mark, no duplicate keys (JSON.parse silently takes the last),
 * no keys that reach a prototype, no lone surrogates, limited depth and number of members.
 */
export function parseStrictJson(bytes: Uint8Array, limits: JsonLimits): unknown {
  const text = decodeStrictly(bytes)
  checkStructure(text, limits)
  try {
    return JSON.parse(text)
  } catch {
    throw new JsonProblem('syntax')
  }
}

/** UTF-8 without a byte order mark. */
export function decodeStrictly(bytes: Uint8Array): string {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new JsonProblem('utf8')
  }
  if (text.charCodeAt(0) === 0xfeff) throw new JsonProblem('mark')
  return text
}

/** A name that reaches a prototype. */
export const isPrototypeKey = (name: string) => prototypeKeys.has(name)

/** One pass over the text. It may miss syntax errors, which JSON.parse finds afterwards, but never a key. */
function checkStructure(text: string, limits: JsonLimits): void {
  const open: (Set<string> | undefined)[] = []
  let members = 0
  let containers = 0
  let expectsKey = false

  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b /* { */:
      case 0x5b /* [ */: {
        const isObject = text.charCodeAt(at) === 0x7b
        open.push(isObject ? new Set() : undefined)
        if (open.length > limits.depth) throw new JsonProblem('depth', limits.depth)
        if (++containers > maxContainers) throw new JsonProblem('members', maxContainers)
        expectsKey = isObject
        break
      }
      case 0x7d /* } */:
      case 0x5d /* ] */:
        open.pop()
        expectsKey = false
        break
      case 0x2c /* , */:
        expectsKey = open.at(-1) !== undefined
        if (++members > limits.members) throw new JsonProblem('members', limits.members)
        break
      case 0x22 /* " */: {
        const end = endOfString(text, at)
        const value = decodeString(text, at, end)
        if (expectsKey) {
          const keys = open.at(-1)
          if (keys?.has(value)) throw new JsonProblem('duplicate')
          if (isPrototypeKey(value)) throw new JsonProblem('forbidden')
          keys?.add(value)
          if (keys && keys.size > maxKeys) throw new JsonProblem('members', maxKeys)
          expectsKey = false
        }
        at = end
      }
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at
  }
  throw new JsonProblem('syntax')
}

function decodeString(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw // the bytes were valid UTF-8, so there is no lone surrogate in it
  let value: string
  try {
    value = JSON.parse(text.slice(start, end + 1)) as string
  } catch {
    throw new JsonProblem('syntax')
  }
  if (!value.isWellFormed()) throw new JsonProblem('unicode')
  return value
}
