import { defineExtension, fieldType, refuse, rule } from 'quoin'
import { checkDigitOf, digitsOf } from './digits.ts'

/** ISBNs of books: a field type with its own input, a rule that every ISBN belongs to one book only, and a block. */
export const isbn = () =>
  defineExtension({
    name: 'isbn',
    blueprints: new URL('./blueprints', import.meta.url),
    errors: {
      incomplete: [400, 'An ISBN has 13 digits.'],
      wrongDigit: [400, 'At least one digit is wrong: after the first twelve, the last one must be {digit}.'],
      taken: [409, '“{title}” has this ISBN already.'],
    },
    texts: {
      de: {
        incomplete: 'Eine ISBN hat 13 Ziffern.',
        wrongDigit: 'Mindestens eine Ziffer ist falsch: Nach den ersten zwölf muss die letzte {digit} sein.',
        taken: '„{title}“ hat diese ISBN schon.',
      },
    },
    fields: {
      isbn: fieldType({
        shown: 'text',
        write: digitsOf,
        check: value => {
          if (!/^\d{13}$/.test(value)) refuse('incomplete')
          const digit = checkDigitOf(value)
          if (!value.endsWith(digit)) refuse('wrongDigit', { digit })
        },
      }),
    },
    rules: [
      rule(
        ['pages.update', 'pages.publish'],
        async ({ page, content, cms }) => {
          const number = content['isbn']
          if (typeof number !== 'string' || number === '') return
          const filterBy = [
            { field: 'template', value: 'book' },
            { field: 'isbn', value: number },
          ]
          const { data } = await cms
            .asSystem()
            .site.query({ select: ['title'] }, { filterBy, not: [page.id], limit: 1 })
          if (data[0]) refuse('taken', { field: 'isbn', title: data[0].title })
        },
        { templates: ['book'] },
      ),
    ],
    panel: {
      fields: { isbn: './panel/isbn.ts' },
      blocks: { book: './panel/book.ts' },
    },
  })
