import { isBroken, type OrBroken } from 'quoin/client'

/** Text that is HTML already. */
export interface Html {
  html: string
}

type Value = string | number | Html | readonly Html[] | false | undefined

/** html`<b>${name}</b>`: values are escaped, unless they are `Html`. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return { html: String.raw({ raw: parts }, ...values.map(renderValue)) }
}

/** HTML from a field that the server has sanitised (writer, list, table, blocks). Never pass other text. */
export const trustedHtml = (text: OrBroken<string>): Html => ({ html: isBroken(text) ? '' : text })

/** A list that the CMS cannot read is shown as empty; `quoin check --data` reports it. */
export const listOf = <Item>(value: OrBroken<readonly Item[]>): readonly Item[] => (isBroken(value) ? [] : value)

function renderValue(value: Value): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'object') return 'html' in value ? value.html : value.map(one => one.html).join('')
  return String(value).replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}
