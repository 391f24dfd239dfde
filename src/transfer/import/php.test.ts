import { expect, test } from 'vitest'
import { cpuTime } from '../../../test/cpu-time.ts'
import { NotLiteral, readPhp } from './php.ts'

test('names and values of all literal types are read', () => {
  expect(
    readPhp(`<?php /* a comment */ # another
// a third
declare(strict_types=1);
return [
    'single' => 'it\\'s \\n \\\\',
    "double" => "a\\tb \\$c \\u{e9} \\x41",
    'number' => 12, 'negative' => -1.5,
    'yes' => true, 'no' => FALSE, 'nothing' => NULL,
    'list' => ['a', 'b'], 'old' => array('x' => array(1, 2)),
    'locale' => [LC_ALL => 'de_DE', 'LC_TIME' => 'de_AT'],
    5 => 'five',
]; ?>
`),
  ).toEqual(
    new Map<string, unknown>([
      ['single', "it's \\n \\"],
      ['double', 'a\tb $c é A'],
      ['number', 12],
      ['negative', -1.5],
      ['yes', true],
      ['no', false],
      ['nothing', null],
      ['list', ['a', 'b']],
      ['old', new Map([['x', [1, 2]]])],
      [
        'locale',
        new Map([
          ['LC_ALL', 'de_DE'],
          ['LC_TIME', 'de_AT'],
        ]),
      ],
      ['5', 'five'],
    ]),
  )
})

test.each([
  ['a call', `<?php return ['a' => system('id')];`],
  ['a variable in a string', '<?php return ["a" => "$HOME"];'],
  ['an expression in a string', '<?php return ["a" => "{$x}"];'],
  ['a concatenation', `<?php return ['a' => 'b' . 'c'];`],
  ['a statement before it', `<?php unlink('x'); return [];`],
  ['a statement after it', `<?php return []; unlink('x');`],
  ['two strings in a row', `<?php return ['text' => 'it''s'];`],
  ['a second PHP block', `<?php return []; ?> <?php unlink('x');`],
  ['a constant as a value', `<?php return ['a' => PHP_VERSION];`],
  ['a shell command', '<?php return [`id`];'],
  ['a function', '<?php return [fn() => 1];'],
  ['an include', `<?php return require 'x.php';`],
  ['an unclosed array', `<?php return ['a' => 'b'`],
  ['no opening tag', `return ['a' => 'b'];`],
  ['an attribute', `<?php #[A]\nreturn ['a' => 1];`],
  ['too many levels', `<?php return ${'['.repeat(10_000)}${']'.repeat(10_000)};`],
  ['an empty file', ''],
])('%s is refused', (_, text) => {
  expect(() => readPhp(text)).toThrow(NotLiteral)
})

test('long inputs are parsed quickly', () => {
  const started = cpuTime()
  expect(() => readPhp(`<?php return ['${'\\'.repeat(200_001)}`)).toThrow(NotLiteral)
  expect(() => readPhp(`<?php ${'/*'.repeat(200_000)}`)).toThrow(NotLiteral)
  expect(() => readPhp(`<?php return ["${'\\\\'.repeat(100_000)}$a"];`)).toThrow(NotLiteral)
  expect(cpuTime() - started).toBeLessThan(2000)
})
