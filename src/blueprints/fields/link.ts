import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { fieldType } from './field.ts'
import { checkRules } from './rules.ts'
import { input } from './settings.ts'
import { readLink, writeLink } from './single-line.ts'
import { isEmail, isUrl, validators } from './validators.ts'

const linkKinds = ['url', 'page', 'file', 'email', 'tel', 'anchor'] as const

/**
 * The kinds of link: how each begins, and how the rest must look. `custom` is any link that begins like none of the
 * others; if it is the only kind, it accepts any text.
 */
const kinds: Record<(typeof linkKinds)[number], { begin: RegExp; fits: (link: string, rest: string) => boolean }> = {
  url: { begin: /^(?:https?|ftp):\/\//i, fits: isUrl },
  page: { begin: /^(?:page:\/\/|\/@\/page\/)/, fits: (_, rest) => isId(rest) },
  file: { begin: /^(?:file:\/\/|\/@\/file\/)/, fits: (_, rest) => isId(rest) },
  email: { begin: /^mailto:/i, fits: (_, rest) => isEmail(rest.split('?', 1)[0]!) },
  tel: { begin: /^tel:/i, fits: (_, rest) => validators.tel(rest) },
  anchor: { begin: /^#/, fits: (_, rest) => /^\S{1,200}$/.test(rest) },
}

const isId = (text: string) => /^[\w-]{1,64}$/.test(text)

function isLink(link: string, allowed: readonly string[]): boolean {
  if (allowed.every(name => name === 'custom')) return allowed.length > 0
  for (const [name, { begin, fits }] of Object.entries(kinds)) {
    const found = begin.exec(link)
    if (found) return allowed.includes(name) && fits(link, link.slice(found[0].length))
  }
  return allowed.includes('custom')
}

export const link = fieldType({
  settings: () =>
    z.strictObject({
      ...input(),
      options: z.array(z.enum([...linkKinds, 'custom'])).default([...linkKinds]),
    }),
  read: readLink,
  write: writeLink,
  check: (value, field, isActive = true) =>
    checkRules(field, isActive, value, value === '', () =>
      isLink(value, field.options) ? {} : { value: message('validation.link') },
    ),
})
