import { expect, test } from 'vitest'
import { problemsOf, releasedChangelog } from './release.ts'

const changelog = `# Changelog

## Unreleased

### Added

- Metrics.

## 0.1.0

The first release.
`
const ready = { version: '0.2.0', current: '0.1.0', uncommitted: '', tags: ['v0.1.0'], changelog }

test('a release needs a newer version, a clean tree and changes in the changelog', () => {
  expect(problemsOf(ready)).toEqual([])
  expect(problemsOf({ ...ready, version: '0.10.0', current: '0.9.9' })).toEqual([])
  expect(problemsOf({ ...ready, version: '0.1.0' })).toEqual([
    '0.1.0 is not newer than 0.1.0',
    'there is a tag v0.1.0 already',
  ])
  expect(problemsOf({ ...ready, version: '1.9.0', current: '2.0.0' })).toEqual(['1.9.0 is not newer than 2.0.0'])
  expect(problemsOf({ ...ready, version: 'next' })[0]).toBe('"next" is no version such as 0.2.0')
  expect(problemsOf({ ...ready, uncommitted: ' M README.md' })).toHaveLength(1)
  for (const text of ['', '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\nThe first.\n'])
    expect(problemsOf({ ...ready, changelog: text })).toHaveLength(1)
})

test('what was unreleased becomes the section of the version', () => {
  const released = releasedChangelog(changelog, '0.2.0', '2026-12-01')
  expect(released).toContain('## Unreleased\n\n## 0.2.0 - 2026-12-01\n\n### Added\n\n- Metrics.\n\n## 0.1.0\n')
  expect(problemsOf({ ...ready, version: '0.3.0', current: '0.2.0', changelog: released })).toHaveLength(1)
})
