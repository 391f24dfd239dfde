import { renderBlock } from './blocks.ts'
import { html, type Html, listOf, trustedHtml } from './html.ts'
import { renderPicture } from './pictures.ts'
import type { Connection, ListedNote, ShownNote } from './site.ts'

type Site = Awaited<ReturnType<Connection['site']>>

const kinds = { story: 'Story', howto: 'How to', news: 'News', '': 'Note' }

/** `2026-03-10 00:00:00` → 10 March 2026 */
const dayOf = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(date.replace(' ', 'T') + 'Z'),
  )

function renderHead({ slug, title, content }: ListedNote): Html {
  return html`<p class="kind">${kinds[content.kind]} · ${dayOf(content.date)}</p>
    <h2><a href="/notes/${slug}/">${title}</a></h2>`
}

function renderInList(note: ShownNote): Html {
  const [cover] = listOf(note.content.cover)
  const picture = cover && note.pictures.get(cover.uuid)
  return html`<li>
    ${picture && renderPicture(picture, '12rem')}
    <div>
      ${renderHead(note)}
      <p>${trustedHtml(note.content.intro)}</p>
    </div>
  </li>`
}

const renderList = (notes: readonly ShownNote[]) =>
  html`<ul class="notes">
    ${notes.map(renderInList)}
  </ul>`

function renderNote(note: ShownNote): Html {
  const { content } = note
  const related = listOf(content.related)
  return html`<article>
    <header>
      ${renderHead(note)}
      <p class="intro">${trustedHtml(content.intro)}</p>
    </header>
    ${listOf(content.text)
      .filter(block => !block.isHidden)
      .map(block => renderBlock(block, note))}
    <p class="tags">${content.tags.map(tag => html`<span>${tag}</span> `)}</p>
    ${
      related.length > 0 &&
      html`<nav aria-label="Read on">
        Read on: ${related.map(({ id, text }) => html`<a href="/${id}/">${text}</a> `)}
      </nav>`
    }
  </article>`
}

function renderDocument(site: Site, title: string, main: Html): string {
  const name = site.title ?? ''
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title === name ? name : `${title} – ${name}`}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <header class="top">
          <h1><a href="/">${name}</a></h1>
          <p>${site.tagline}</p>
        </header>
        <main>${main}</main>
        <footer>${site.copyright} · <a href="mailto:${site.contact}">${site.contact}</a></footer>
      </body>
    </html>`.html
}

/** Replaces links by uuid with paths. Links to pages that this front end does not have lead to its home page. */
function withLinks(page: string, notes: readonly ListedNote[]): string {
  const paths = new Map(notes.map(({ uuid, slug }) => [uuid, `/notes/${slug}/`]))
  return page.replaceAll(/\/@\/page\/([\w-]+)/g, (_, uuid: string) => paths.get(`page://${uuid}`) ?? '/')
}

/** The HTML of every page of this front end, by its path: the list of notes, and each note. */
export async function renderPages(connection: Connection): Promise<Map<string, string>> {
  const [site, listed] = await Promise.all([connection.site(), connection.notes()])
  const notes = await Promise.all(listed.map(note => connection.withPictures(note)))
  const pages: [path: string, page: string][] = [
    ['/', renderDocument(site, site.title ?? '', renderList(notes))],
    ...notes.map((note): [string, string] => [
      `/notes/${note.slug}/`,
      renderDocument(site, note.title, renderNote(note)),
    ]),
  ]
  return new Map(pages.map(([path, page]) => [path, withLinks(page, notes)]))
}
