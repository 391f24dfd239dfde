import { expect, test } from 'vitest'
import { emojiIcon } from './emoji-icon.tsx'

const emojis = ['😀', '❤', '❤️', '👍🏽', '🇩🇪', '1️⃣', '#⃣', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🏳️‍🌈', '👩‍❤️‍💋‍👨', '🧑🏽‍🤝‍🧑🏿', '👨‍👩‍👧‍👦']

test.each(emojis)('%s is an icon', emoji => {
  expect(emojiIcon(emoji)).toBeTypeOf('function')
})

test.each(['', 'a', '1', '😀😀😀', '😀a', '👍🏽👍🏽', '🇩🇪🇫🇷', '1️⃣2️⃣', '😀\u200D', '\u200D😀'])(
  '%j is not one emoji',
  text => {
    expect(emojiIcon(text)).toBeUndefined()
  },
)
