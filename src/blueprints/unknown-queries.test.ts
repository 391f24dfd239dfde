import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBlueprints } from '../../test/blueprints.ts'
import { openBlueprints } from './open.ts'
import { unknownQueries } from './unknown-queries.ts'

test('queries that call code Quoin does not have are listed with file and line', () => {
  const site = createBlueprints({
    'pages/note.yml': [
      'title: Note',
      'fields:',
      '  cover: { type: files }',
      '  author:',
      '    type: users',
      '    query: kirby.users.filterBy("role", "editor")',
      '  kind:',
      '    type: select',
      '    options:',
      '      type: query',
      '      query: site.vocabulary.toOptions("kinds")',
      'image:',
      '  query: page.cover.toFile',
    ].join('\n'),
    'site.yml': [
      'sections:',
      '  notes:',
      '    type: pages',
      '    info: "{{ page.author.toUser.name }} · {{ page.readingTime }} · {{ kirby.collection("x").count }}"',
      '    text: "{{ file.dimensions.width }} {{ page.children.pluck("kind", ",", true) }}"',
    ].join('\n'),
  })
  const blueprints = openBlueprints(site)
  expect(unknownQueries(join(site, 'blueprints'), blueprints)).toEqual([
    {
      file: 'pages/note.yml',
      line: 11,
      query: 'site.vocabulary.toOptions("kinds")',
      names: ['vocabulary', 'toOptions'],
    },
    { file: 'site.yml', line: 4, query: 'page.readingTime', names: ['readingTime'] },
    { file: 'site.yml', line: 4, query: 'kirby.collection("x").count', names: ['collection'] },
  ])
  blueprints.close()
})
