import { z } from 'zod'
import { message } from '../../platform/texts.ts'
import { brokenValue } from './broken.ts'
import type { BrokenValue, RuleErrors, StoredValue, WriteResult } from './field.ts'
import { sanitise, sanitiseSent } from './html.ts'
import { wrongType } from './rules.ts'
import { textOf } from './stored.ts'

/** Shared by writer and list: HTML that is sanitised when it is read and when it is written. */

const maxLength = 200_000

export function readRichText(stored: StoredValue | undefined): string | BrokenValue {
  const text = textOf(stored)
  return sanitise(text) ?? brokenValue(text, 'tooLarge')
}

export function writeRichText(sent: unknown): WriteResult {
  if (typeof sent !== 'string') return wrongType('text')
  if (sent.length > maxLength)
    return { errors: { maxlength: message('validation.maxlength', { max: String(maxLength) }) } }
  const html = sanitiseSent(sent.trim())
  return html === undefined ? tooMuchHtml() : { stored: html }
}

export const tooMuchHtml = (): { errors: RuleErrors } => ({ errors: { html: message('validation.html') } })

/** Which marks or nodes the panel offers. */
export const offeredMarks = () => z.union([z.boolean(), z.array(z.string()), z.record(z.string(), z.unknown())])
