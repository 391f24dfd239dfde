import type { ReactNode } from 'react'
import { type Cms, cmsUrl, type Language } from '../src/cms.ts'
import { Preview } from './preview.tsx'

interface Props {
  cms: Cms
  language?: Language | undefined
  languages: Language[]
  isPreview?: boolean
  children: ReactNode
}

/** The document around every page. */
export async function Shell({ cms, language, languages, isPreview = false, children }: Props) {
  const site = await cms.site(language)
  return (
    <html lang={language?.code ?? 'en'}>
      <body>
        <header className="top">
          <p className="name">
            <a href={language ? `/${language.code}` : '/'}>{site.title}</a>
          </p>
          <p>{site.tagline}</p>
          <form action={`/search/${language?.code ?? 'en'}`} role="search">
            <input type="search" name="q" aria-label="Search" placeholder="Search" />
          </form>
          {languages.length > 1 && (
            <nav aria-label="Languages">
              {languages.map(({ code, name }) => (
                <a key={code} href={`/${code}`} lang={code} aria-current={code === language?.code ? 'true' : undefined}>
                  {name}
                </a>
              ))}
            </nav>
          )}
        </header>
        <main>{children}</main>
        <footer>
          {site.copyright} · <a href={`mailto:${site.contact}`}>{site.contact}</a>
        </footer>
        {isPreview && <Preview panel={cmsUrl} />}
      </body>
    </html>
  )
}
