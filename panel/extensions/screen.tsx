import { useParams } from '@tanstack/react-router'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { hasAccess, useSession } from '../app/session.ts'
import { NotFound } from '../app/shell/states.tsx'
import { Forbidden } from '../system/forbidden.tsx'
import { useLanguage } from '../texts/texts.ts'
import { PageHeader } from '../ui/page-header.tsx'
import { Part } from './part.tsx'
import { labelOf, type PanelPart, screens } from './parts.ts'

/** A screen of an extension. */
export function ExtensionScreen() {
  const { extension, screen } = useParams({ strict: false })
  const part = screens.find(candidate => candidate.extension === extension && candidate.name === screen)
  return part ? <Screen key={part.path} part={part} /> : <NotFound />
}

function Screen({ part }: { part: PanelPart }) {
  const { user } = useSession()
  const { code } = useLanguage()
  const label = labelOf(part, code)
  useTitleAndBreadcrumb(label, [{ text: label }])
  if (!hasAccess(user, part.access)) return <Forbidden />
  return (
    <>
      <PageHeader title={label} />
      <Part part={part} properties={{ language: code }} />
    </>
  )
}
