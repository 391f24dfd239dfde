import { isBroken, type OrBroken } from 'quoin/client'
import { editable } from 'quoin/preview'
import { type Cms, htmlOf, type Language, listOf, type Note, pathOf, type Picture as Shown } from '../src/cms.ts'
import { Picture } from './picture.tsx'

interface InLanguage {
  language?: Language | undefined
}

function Head({ note, language, level: Heading }: InLanguage & { note: Note; level: 'h1' | 'h2' }) {
  /** `2026-03-10 00:00:00` */
  const day = new Date(`${note.content.date.slice(0, 10)}T00:00:00Z`)
  const date = new Intl.DateTimeFormat(language?.code ?? 'en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  return (
    <>
      <p className="kind">{Number.isNaN(day.getTime()) ? '' : date.format(day)}</p>
      <Heading>
        <a href={pathOf(note.url)}>{note.title}</a>
      </Heading>
    </>
  )
}

export async function NoteList({ cms, language }: InLanguage & { cms: Cms }) {
  const notes = await cms.notes(language)
  const entries = await Promise.all(
    notes.map(async note => {
      const [cover] = listOf(note.content.cover)
      const picture = cover && (await cms.pictures(note.id, language)).get(cover.uuid)
      return { note, picture }
    }),
  )
  return (
    <ul className="notes">
      {entries.map(({ note, picture }) => (
        <li key={note.uuid}>
          {picture && <Picture picture={picture} sizes="12rem" />}
          <div>
            <Head note={note} language={language} level="h2" />
            <p dangerouslySetInnerHTML={htmlIn(note.content.intro, language)} />
          </div>
        </li>
      ))}
    </ul>
  )
}

export async function NoteArticle({ cms, note, language }: InLanguage & { cms: Cms; note: Note }) {
  const pictures = await cms.pictures(note.id, language)
  const blocks = listOf(note.content.text).filter(({ isHidden }) => !isHidden)
  return (
    <article>
      <Head note={note} language={language} level="h1" />
      <p
        className="intro"
        {...editable(note, 'intro')}
        dangerouslySetInnerHTML={htmlIn(note.content.intro, language)}
      />
      {blocks.map(block => (
        <ShownBlock key={block.id} block={block} note={note} pictures={pictures} language={language} />
      ))}
      <p className="tags" {...editable(note, 'tags')}>
        {note.content.tags.map(tag => (
          <span key={tag}>{tag}</span>
        ))}
      </p>
      <nav aria-label="Read on">
        {listOf(note.content.related).map(({ uuid, url, text }) => (
          <a key={uuid} href={pathOf(url)}>
            {text}
          </a>
        ))}
      </nav>
    </article>
  )
}

type Block = ReturnType<typeof listOf<Exclude<Note['content']['text'], { $broken: string }>[number]>>[number]

interface BlockProps extends InLanguage {
  block: Block
  note: Note
  pictures: ReadonlyMap<string, Shown>
}

function ShownBlock({ block, note, pictures, language }: BlockProps) {
  const mark = editable(note, 'text', block.id)
  const html = (text: OrBroken<string>) => htmlIn(text, language)
  const shown = (files: OrBroken<{ uuid: string }[]>) => listOf(files).flatMap(({ uuid }) => pictures.get(uuid) ?? [])
  switch (block.type) {
    case 'heading': {
      const Heading = block.content.level === 'h3' ? 'h3' : 'h2'
      return <Heading {...mark} dangerouslySetInnerHTML={html(block.content.text)} />
    }
    case 'text':
    case 'list':
      return <div {...mark} dangerouslySetInnerHTML={html(block.content.text)} />
    case 'image':
    case 'gallery': {
      const { caption } = block.content
      return (
        <div {...mark}>
          {shown(block.type === 'image' ? block.content.image : block.content.images).map(picture => (
            <figure key={picture.uuid}>
              <Picture picture={picture} sizes="(min-width: 45rem) 42rem, 100vw" />
              <figcaption dangerouslySetInnerHTML={html(caption || picture.caption)} />
            </figure>
          ))}
        </div>
      )
    }
    case 'quote':
      return (
        <blockquote {...mark}>
          <p dangerouslySetInnerHTML={html(block.content.text)} />
          <footer dangerouslySetInnerHTML={html(block.content.citation)} />
        </blockquote>
      )
    case 'line':
      return <hr />
    case 'table':
      return <ShownTable table={block.content.table} language={language} mark={mark} />
    default:
      return undefined // a block type that this program does not know
  }
}

interface TableProps extends InLanguage {
  table: (Block & { type: 'table' })['content']['table']
  mark: ReturnType<typeof editable>
}

function ShownTable({ table, mark, language }: TableProps) {
  if (isBroken(table)) return undefined
  const rows = (cells: string[][], Cell: 'td' | 'th') =>
    cells.map((row, at) => (
      <tr key={at}>
        {row.map((cell, column) => (
          <Cell key={column} dangerouslySetInnerHTML={htmlIn(cell, language)} />
        ))}
      </tr>
    ))
  const head = table.rows.slice(0, table.header ? 1 : 0)
  return (
    <table {...mark}>
      {head.length > 0 && <thead>{rows(head, 'th')}</thead>}
      <tbody>{rows(table.rows.slice(head.length), 'td')}</tbody>
    </table>
  )
}

/** The CMS has sanitised the HTML. */
export const htmlIn = (text: OrBroken<string>, language: Language | undefined) => ({ __html: htmlOf(text, language) })
