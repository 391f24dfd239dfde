import { type BrokenValue, isBroken, type OrBroken } from 'quoin/client'
import type { Blueprints } from '../quoin.types.ts'
import { html, type Html, listOf, trustedHtml } from './html.ts'
import { renderFigure } from './pictures.ts'
import type { ShownNote } from './site.ts'

type Block = Exclude<Blueprints['pages']['note']['text'], BrokenValue>[number]

/** The compiler knows which block types a note can have, and what is in each of them. */
export function renderBlock(block: Block, { pictures }: ShownNote): Html {
  const figures = (files: OrBroken<readonly { uuid: string }[]>, caption: OrBroken<string>) =>
    listOf(files)
      .flatMap(({ uuid }) => pictures.get(uuid) ?? [])
      .map(picture => renderFigure(picture, caption))
  switch (block.type) {
    case 'heading':
      return block.content.level === 'h3'
        ? html`<h3>${trustedHtml(block.content.text)}</h3>`
        : html`<h2>${trustedHtml(block.content.text)}</h2>`
    case 'text':
    case 'list':
      return trustedHtml(block.content.text)
    case 'image':
      return html`${figures(block.content.image, block.content.caption)}`
    case 'gallery':
      return html`<div class="gallery">${figures(block.content.images, block.content.caption)}</div>`
    case 'quote':
      return html`<blockquote>
        <p>${trustedHtml(block.content.text)}</p>
        <footer>${trustedHtml(block.content.citation)}</footer>
      </blockquote>`
    case 'line':
      return html`<hr />`
    case 'table':
      return renderTable(block.content.table)
    default:
      return html`` // a block type that is newer than this program
  }
}

type Table = (Block & { type: 'table' })['content']['table']

function renderTable(table: Table): Html {
  if (isBroken(table)) return html``
  const head = table.rows.slice(0, table.header ? 1 : 0)
  return html`<table>
    <thead>
      ${head.map(
        row =>
          html`<tr>
            ${row.map(cell => html`<th scope="col">${trustedHtml(cell)}</th>`)}
          </tr>`,
      )}
    </thead>
    <tbody>
      ${table.rows.slice(head.length).map(
        row =>
          html`<tr>
            ${row.map(cell => html`<td>${trustedHtml(cell)}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
}
