/** An extension for tests with field types, blueprints and parts of the panel. */
import { defineExtension, endpoint, fieldType, json, refuse, z } from '../src/index.ts'
import type { OwnPanel } from '../src/extensions/own-panel.ts'

const digitsOf = (text: string) => text.replaceAll(/[\s-]/g, '')

function sumOf(digits: string): number {
  return Array.from(digits).reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0)
}

const isbn = fieldType({
  shown: 'text',
  settings: z.strictObject({ prefix: z.string().default('') }),
  read: (stored, { prefix }) => prefix + stored,
  write: (sent, { prefix }) => {
    const digits = digitsOf(sent.replace(prefix, ''))
    if (!/^\d{13}$/.test(digits)) refuse('notAnIsbn', { text: sent })
    return digits
  },
  check: value => {
    if (sumOf(value.replaceAll(/\D/g, '')) % 10 !== 0) refuse('wrongDigit')
  },
})

const place = fieldType({
  storedAs: 'map',
  type: '{ lat: number; lng: number }',
  read: stored => z.object({ lat: z.number(), lng: z.number() }).parse(stored),
  write: sent => {
    const { success, data } = z.object({ lat: z.number(), lng: z.number() }).safeParse(sent)
    return success ? data : refuse('notAPlace')
  },
})

/** Fails where its value says so. */
const fragile = fieldType({
  shown: 'text',
  read: stored => {
    if (stored.includes('read')) throw new Error('secret of the program')
    return stored === 'promise' ? (Promise.resolve('x') as unknown as string) : stored
  },
  write: sent => {
    if (sent === 'write') throw new Error('secret of the program')
    return sent === 'unknown' ? refuse('nothing') : sent
  },
  check: value => {
    if (value === 'check') throw new Error('secret of the program')
    // `async` fits the type, too.
    return value === 'async' ? (Promise.reject(new Error('late')) as never) : undefined
  },
})

interface Options {
  blueprints?: URL
  /** The file that the paths of `panel` are relative to. */
  file?: string
  panel?: OwnPanel
}

export const books = ({ panel, ...options }: Options = {}) =>
  defineExtension({
    name: 'books',
    ...options,
    ...(panel && { panel: panel as object }),
    permissions: { shelf: 'See the shelf.' },
    endpoints: {
      count: endpoint({
        method: 'GET',
        path: '/count',
        summary: 'Count the books',
        access: 'books.shelf',
        answer: json(z.object({ pages: z.int() })),
        handler: async ({ cms }) => ({ pages: (await cms.site.children.list({ status: 'all' })).pagination.total }),
      }),
    },
    fields: {
      isbn,
      place,
      fragile,
      stars: fieldType({ shown: 'number', check: value => (value > 5 ? refuse('tooMany') : undefined) }),
      series: fieldType({ shown: 'tags', write: names => names.map(name => name.toUpperCase()) }),
    },
    errors: {
      notAnIsbn: [400, '"{text}" is not an ISBN.'],
      wrongDigit: [400, 'The last digit does not fit.'],
      notAPlace: [400, 'This is not a place.'],
      tooMany: [400, 'At most five stars.'],
    },
    texts: { de: { wrongDigit: 'Die letzte Ziffer passt nicht.' } },
  })
