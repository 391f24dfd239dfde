import { expect, test } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import { addPage, createTokenClient } from '../../../test/pages.ts'
import { isbn } from './isbn.ts'

const site = await createTestApp({ settings: { extensions: [isbn()] } })
const admin = await createTokenClient(site)
const numbers = ['9780306406157', '9783161484100', '9781861972712'] as const

async function addBook(slug: string, number: string): Promise<string> {
  await addPage(site, '', { slug, template: 'book', content: { title: slug, isbn: number }, status: 'listed' })
  return `pages/${slug}`
}
const saved = async (book: string, number: string) => {
  const { errors } = (await admin.done('POST', `${book}/changes/save`, { isbn: number })) as unknown as {
    errors: Record<string, { message: Record<string, string> }>
  }
  return errors['isbn']?.message
}

test('an ISBN is stored without hyphens, and a wrong one is refused at its field', async () => {
  const book = await addBook('ink', numbers[0])
  await admin.done('PATCH', book, { isbn: 'ISBN 978-3-16-148410-0' })
  expect((await admin.done('GET', book)).data.content).toMatchObject({ isbn: numbers[1] })
  expect(await admin.call('PATCH', book, { isbn: '978-3-16' })).toMatchObject({
    status: 400,
    details: { isbn: { message: { 'isbn.incomplete': 'An ISBN has 13 digits.' } } },
  })
  const message = { 'isbn.wrongDigit': 'At least one digit is wrong: after the first twelve, the last one must be 0.' }
  expect(await saved(book, '9783161484109')).toEqual(message)
  expect((await admin.call('POST', `${book}/changes/publish`)).details).toMatchObject({ isbn: { message } })
  expect(await saved(book, 'twelve')).toHaveProperty(['isbn.incomplete'])
})

test('two books cannot have the same ISBN; a draft of changes says so', async () => {
  await addBook('paper', numbers[2])
  const other = await addBook('lead', numbers[0])
  const message = { 'isbn.taken': '“paper” has this ISBN already.' }
  expect(await saved(other, '978-1-86197-271-2')).toEqual(message)
  expect(await admin.call('POST', `${other}/changes/publish`)).toMatchObject({
    status: 409,
    key: 'error.isbn.taken',
    details: { isbn: { message } },
  })
  await admin.done('POST', 'pages/paper/duplicate', { slug: 'copy' })
  expect(await admin.call('PATCH', 'pages/copy/status', { status: 'listed' })).toMatchObject({
    key: 'error.isbn.taken',
  })
  expect(await saved('pages/copy', numbers[2])).toEqual(message)
  expect(await saved(other, numbers[0])).toBeUndefined()
  await admin.done('PATCH', 'pages/paper', { author: 'Nobody else' })
})
