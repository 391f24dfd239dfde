import type { ReactNode } from 'react'
import { Shell } from '../../../components/shell.tsx'
import { connect } from '../../../src/cms.ts'
import '../../style.css'

interface Props {
  params: Promise<{ language: string }>
  children: ReactNode
}

export const metadata = { title: 'Search' }

export default async function Layout({ params, children }: Props) {
  const cms = connect()
  const { language: code } = await params
  const languages = await cms.languages()
  const language = languages.find(one => one.code === code) ?? languages.find(one => one.default)
  return (
    <Shell cms={cms} language={language} languages={languages}>
      {children}
    </Shell>
  )
}
