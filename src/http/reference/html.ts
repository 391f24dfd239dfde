import { escapeHtml } from '../../platform/lib/html.ts'

/** Text for HTML: everything that is not marked as markup is escaped. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | undefined | false | readonly Part[]

const render = (part: Part): string => {
  if (part === undefined || part === false) return ''
  if (typeof part === 'object') return 'html' in part ? part.html : part.map(render).join('')
  return escapeHtml(String(part))
}

export function markup(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: texts.reduce((all, text, index) => all + text + render(parts[index]), '') }
}

/** A sentence with `code`; the name of an operation becomes a link. */
export function prose(text: string, linkOf: (code: string) => string | undefined = () => undefined): Html {
  const parts = text.split('`').map((part, index) => {
    if (index % 2 === 0) return markup`${part}`
    const link = linkOf(part)
    return link === undefined ? markup`<code>${part}</code>` : markup`<a href="${link}"><code>${part}</code></a>`
  })
  return markup`${parts}`
}
