/** The examples in docs/guide/fields.md are a valid blueprint, and their values can be stored and read. */
import { expect, test } from 'vitest'
import { fieldTypes } from '../src/blueprints/fields/index.ts'
import { fieldSamples, sampleBlueprint, sampleContent } from '../tools/screenshots/field-samples.ts'
import { problemsOf, readAll, writeBlueprint } from './blueprints.ts'
import { createTestApp, createTestStorage } from './harness.ts'
import { createTokenClient } from './pages.ts'

const samples = fieldSamples()

test('every field type has an example, with three exceptions', () => {
  const withoutExample = new Set(['gap', 'hidden', 'line'])
  expect(samples.map(({ type }) => type).toSorted()).toEqual(
    Object.keys(fieldTypes)
      .filter(type => !withoutExample.has(type))
      .toSorted(),
  )
})

test('the examples are valid, and their values are read as they were written', async () => {
  const blueprint = sampleBlueprint(samples)
  expect(problemsOf(readAll({ 'pages/sample.yml': blueprint }))).toEqual([])
  const storage = await createTestStorage()
  writeBlueprint(storage.data, 'pages/sample.yml', blueprint)
  const admin = await createTokenClient(await createTestApp({ storage }))
  const content = sampleContent(samples)
  await admin.done('POST', 'site/children', { slug: 'sample', title: 'Sample', template: 'sample', content })
  await admin.done('PATCH', 'pages/sample/status', { status: 'listed' }) // checks the rules of all fields
  const { data } = await admin.done('GET', 'pages/sample')
  expect((data as { content: object }).content).toMatchObject(content)
})
