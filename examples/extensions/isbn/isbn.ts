import { defineExtension, fieldType, refuse, rule } from 'quoin'
import { digitsOf, lastDigitOf } from './digits.ts'

/** The number of a book: a field type with its own input, a rule that no two books have the same, and a block. */
export const isbn = () =>
  defineExtension({
    name: 'isbn',
    blueprints: new URL('./blueprints', import.meta.url),
    errors: {
      incomplete: [400, 'An ISBN has 13 digits.'],
      wrongDigit: [400, 'Check the digits: with these, the last one would be {digit}.'],
      taken: [409, '“{title}” has this ISBN already.'],
    },
    texts: {
      de: {
        incomplete: 'Eine ISBN hat 13 Ziffern.',
        wrongDigit: 'Prüfen Sie die Ziffern: Mit diesen wäre die letzte {digit}.',
        taken: '„{title}“ hat diese ISBN schon.',
      },
    },
    fields: {
      isbn: fieldType({
        shown: 'text',
        write: digitsOf,
        check: value => {
          if (!/^\d{13}$/.test(value)) refuse('incomplete')
          if (!value.endsWith(lastDigitOf(value))) refuse('wrongDigit', { digit: lastDigitOf(value) })
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
