import { parseEmail } from './email.ts'

export interface FromAddress {
  name: string
  address: string
}

/** Parses the From address of mail: `cms@example.org` or `Our site <cms@example.org>`. Undefined if it has no address, or more than one. */
export function parseFromAddress(text: string): FromAddress | undefined {
  const [, name = '', bracketed] = /^([^<>"\\\p{C}]*)<([^<>]*)>$/u.exec(text.trim()) ?? []
  const email = parseEmail(bracketed ?? text)
  return email && { name: name.trim(), address: email.address }
}
