import { showBlock } from './blocks.ts'
import { clean, html, type Html, listOf } from './html.ts'
import { showPicture } from './pictures.ts'
import type { Connection, ListedNote, ShownNote } from './site.ts'

type Site = Awaited<ReturnType<Connection['site']>>

const kinds = { story: 'Story', howto: 'How to', news: 'News', '': 'Note' }

/** `2026-03-10 00:00:00` → 10 March 2026 */
const dayOf = (date: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(date.replace(' ', 'T') + 'Z'),
  )

function showHead({ slug, title, content }: ListedNote): Html {
  return html`<p class="kind">${kinds[content.kind]} · ${dayOf(content.date)}</p>
    <h2><a href="/notes/${slug}/">${title}</a></h2>`
}

function showInList(note: ShownNote): Html {
  const [cover] = listOf(note.content.cover)
  const picture = cover && note.pictures.get(cover.uuid)
  return html`<li>
    ${picture && showPicture(picture, '12rem')}
    <div>
      ${showHead(note)}
      <p>${clean(note.content.intro)}</p>
    </div>
  </li>`
}

const showList = (notes: readonly ShownNote[]) =>
  html`<ul class="notes">
    ${notes.map(showInList)}
  </ul>`

function showNote(note: ShownNote): Html {
  const { content } = note
  const related = listOf(content.related)
  return html`<article>
    <header>
      ${showHead(note)}
      <p class="intro">${clean(content.intro)}</p>
    </header>
    ${listOf(content.text)
      .filter(block => !block.isHidden)
      .map(block => showBlock(block, note))}
    <p class="tags">${content.tags.map(tag => html`<span>${tag}</span> `)}</p>
    ${
      related.length > 0 &&
      html`<nav aria-label="Read on">
        Read on: ${related.map(({ id, text }) => html`<a href="/${id}/">${text}</a> `)}
      </nav>`
    }
  </article>`
}

function showWhole(site: Site, title: string, main: Html): string {
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

/** Links between pages are stored by uuid; here they become addresses. What is not shown here leads to the start. */
function withLinks(page: string, notes: readonly ListedNote[]): string {
  const addresses = new Map(notes.map(({ uuid, slug }) => [uuid, `/notes/${slug}/`]))
  return page.replaceAll(/\/@\/page\/([\w-]+)/g, (_, uuid: string) => addresses.get(`page://${uuid}`) ?? '/')
}

/** Every page of this front end, by its address: the list of notes, and each note. */
export async function readPages(connection: Connection): Promise<Map<string, string>> {
  const [site, listed] = await Promise.all([connection.site(), connection.notes()])
  const notes = await Promise.all(listed.map(note => connection.withPictures(note)))
  const pages: [address: string, page: string][] = [
    ['/', showWhole(site, site.title ?? '', showList(notes))],
    ...notes.map((note): [string, string] => [`/notes/${note.slug}/`, showWhole(site, note.title, showNote(note))]),
  ]
  return new Map(pages.map(([address, page]) => [address, withLinks(page, notes)]))
}
