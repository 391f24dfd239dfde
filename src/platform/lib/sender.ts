import { parseEmail } from './email.ts'

export interface Sender {
  name: string
  address: string
}

/** `cms@example.org` or `Our site <cms@example.org>`. Undefined if it has no address, or more than one. */
export function parseSender(text: string): Sender | undefined {
  const [, name = '', bracketed] = /^([^<>"\\\p{C}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  const email = parseEmail(bracketed ?? text)
  return email && { name: name.trim(), address: email.address }
}
