import type { Metadata } from 'next'
import { notFound, permanentRedirect } from 'next/navigation'
import { editable } from 'quoin/preview'
import { cache } from 'react'
import { htmlIn, NoteArticle, NoteList } from '../../components/notes.tsx'
import { connect } from '../../src/cms.ts'
import { currentPass } from '../../src/draft.ts'

interface Props {
  params: Promise<{ path?: string[] }>
}

/** Pages are rendered at their first visit, and kept. */
export const generateStaticParams = () => []

const find = cache(async (path: string) => {
  const cms = connect(await currentPass())
  return { cms, ...(await cms.find(path)) }
})
const findIn = async ({ params }: Props) => find(`/${((await params).path ?? []).join('/')}`)

export async function generateMetadata(props: Props): Promise<Metadata> {
  const { cms, page, language } = await findIn(props)
  const site = await cms.site(language)
  return { title: !page || page.title === site.title ? site.title : `${page.title} – ${site.title}` }
}

export default async function Page(props: Props) {
  const { cms, page, redirect, language } = await findIn(props)
  if (redirect !== undefined) permanentRedirect(redirect)
  if (!page) notFound()
  switch (page.template) {
    case 'note':
      return <NoteArticle cms={cms} note={page} language={language} />
    case 'home':
      return (
        <>
          <h1>{page.title}</h1>
          <p
            className="intro"
            {...editable(page, 'intro')}
            dangerouslySetInnerHTML={htmlIn(page.content.intro, language)}
          />
          <NoteList cms={cms} language={language} />
        </>
      )
    case 'notes':
      return (
        <>
          <h1>{page.title}</h1>
          <p className="intro" {...editable(page, 'intro')}>
            {page.content.intro}
          </p>
          <NoteList cms={cms} language={language} />
        </>
      )
    case 'about':
      return (
        <>
          <h1>{page.title}</h1>
          <div {...editable(page, 'text')} dangerouslySetInnerHTML={htmlIn(page.content.text, language)} />
        </>
      )
    default:
      return (
        <>
          <h1>{page.title}</h1>
          <p className="plain" {...editable(page, 'text')}>
            {page.content.text}
          </p>
        </>
      )
  }
}
