import { z } from 'zod'
import { message } from '../../texts.ts'
import type { Stored, Written } from './field.ts'
import { sanitise } from './html.ts'
import { wrongType } from './rules.ts'
import { textOf } from './stored.ts'

/** What writer and list have in common: HTML that is cleaned whenever it comes in or goes out. */

/** Cleaning takes some microseconds a tag: nobody waits for more than this. */
const longest = 200_000

export const readRichText = (stored: Stored | undefined): string => sanitise(textOf(stored))

export function writeRichText(sent: unknown): Written {
  if (typeof sent !== 'string') return wrongType('text')
  if (sent.length > longest) return { broken: { maxlength: message('validation.maxlength', { max: String(longest) }) } }
  return { stored: sanitise(sent.trim()) }
}

/** Which marks or nodes the panel offers. */
export const offered = () => z.union([z.boolean(), z.array(z.string()), z.record(z.string(), z.unknown())])
