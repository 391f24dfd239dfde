import { isBroken, type OrBroken } from 'quoin/client'

/** Text that is HTML already. */
export interface Html {
  html: string
}

type Value = string | number | Html | readonly Html[] | false | undefined

/** html`<b>${name}</b>`: whatever is put into it is text, unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: String.raw({ raw: parts }, ...values.map(shown)) }
}

/** HTML that the site has sent, as writer, list and blocks do: it is clean when it comes. */
export const clean = (text: OrBroken<string>): Html => ({ html: isBroken(text) ? '' : text })

/** A list that the site cannot read is shown as none: `quoin check --data` names it. */
export const listOf = <Item>(value: OrBroken<readonly Item[]>): readonly Item[] => (isBroken(value) ? [] : value)

function shown(value: Value): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'object') return 'html' in value ? value.html : value.map(one => one.html).join('')
  return String(value).replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
