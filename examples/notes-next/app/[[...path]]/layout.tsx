import type { ReactNode } from 'react'
import { Shell } from '../../components/shell.tsx'
import { connect } from '../../src/cms.ts'
import { currentPass } from '../../src/draft.ts'
import '../style.css'

interface Props {
  params: Promise<{ path?: string[] }>
  children: ReactNode
}

export default async function Layout({ params, children }: Props) {
  const pass = await currentPass()
  const cms = connect(pass)
  const [first] = (await params).path ?? []
  const languages = await cms.languages()
  const language = languages.find(({ code }) => code === first) ?? languages.find(one => one.default)
  return (
    <Shell cms={cms} language={language} languages={languages} isPreview={pass !== undefined}>
      {children}
    </Shell>
  )
}
