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
const kinds: Record<(typeof linkKinds)[number], { prefix: RegExp; isValid: (link: string, rest: string) => boolean }> =
  {
    url: { prefix: /^(?:https?|ftp):\/\//i, isValid: isUrl },
    page: { prefix: /^(?:page:\/\/|\/@\/page\/)/, isValid: (_, rest) => isId(rest) },
    file: { prefix: /^(?:file:\/\/|\/@\/file\/)/, isValid: (_, rest) => isId(rest) },
    email: { prefix: /^mailto:/i, isValid: (_, rest) => isEmail(rest.split('?', 1)[0]!) },
    tel: { prefix: /^tel:/i, isValid: (_, rest) => validators.tel(rest) },
    anchor: { prefix: /^#/, isValid: (_, rest) => /^\S{1,200}$/.test(rest) },
  }

const isId = (text: string) => /^[\w-]{1,64}$/.test(text)

function isLink(link: string, allowed: readonly string[]): boolean {
  if (allowed.every(name => name === 'custom')) return allowed.length > 0
  for (const [name, { prefix, isValid }] of Object.entries(kinds)) {
    const found = prefix.exec(link)
    if (found) return allowed.includes(name) && isValid(link, link.slice(found[0].length))
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
