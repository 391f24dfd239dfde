import { Link } from '@tanstack/react-router'
import { Languages as Icon, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTitleAndBreadcrumb } from '../app/title.ts'
import { can, useSession } from '../app/session.ts'
import { ErrorScreen } from '../app/shell/states.tsx'
import { usePaletteActions } from '../search/palette-actions.ts'
import { Forbidden } from '../system/forbidden.tsx'
import { languages as texts } from '../texts/en/languages.ts'
import { addTexts, t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ListItem } from '../ui/list-item.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { CreateLanguageDialog } from './create.tsx'
import { type LanguageModel, localeText, useLanguages } from './model.ts'

addTexts(texts)

/** The content languages. */
export function LanguagesScreen() {
  const { user } = useSession()
  useTitleAndBreadcrumb(t('nav.languages'), [{ text: t('nav.languages') }])
  return can(user, 'access.languages') ? <All /> : <Forbidden />
}

function All() {
  const { user } = useSession()
  const { data: languages, error, refetch } = useLanguages()
  const [adding, setAdding] = useState(false)
  const canAdd = can(user, 'languages.create')
  usePaletteActions(canAdd ? [{ text: t('languages.add'), icon: Plus, run: () => setAdding(true) }] : [])
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('languages.add')}
    </Button>
  )
  if (error) return <ErrorScreen error={error} reset={() => void refetch()} />
  return (
    <>
      <PageHeader
        title={t('nav.languages')}
        info={canAdd ? t('languages.info') : t('languages.denied')}
        actions={canAdd && languages && languages.length > 0 && add}
      />
      {!languages ? (
        <Skeleton className="h-12 w-full" lines={3} />
      ) : languages.length === 0 ? (
        <Card>
          <EmptyState icon={Icon} text={t('languages.none')} action={canAdd && add} />
        </Card>
      ) : (
        <Card flush>
          <ul aria-label={t('nav.languages')} className="divide-y">
            {inOrder(languages).map(language => (
              <li key={language.code}>
                <Row language={language} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      {adding && languages && <CreateLanguageDialog languages={languages} onClose={() => setAdding(false)} />}
    </>
  )
}

/** The default language first. */
const inOrder = (languages: readonly LanguageModel[]) =>
  languages.toSorted((a, b) => Number(b.default) - Number(a.default))

function Row({ language }: { language: LanguageModel }) {
  const { code, name, direction, url } = language
  return (
    <ListItem
      image={
        <span
          aria-hidden="true"
          className="flex h-8 min-w-10 items-center justify-center rounded-md bg-sunken px-1.5 font-mono text-xs text-muted uppercase"
        >
          {code}
        </span>
      }
      title={name}
      info={`${localeText(language)} · ${url}`}
      render={<Link to="/languages/$code" params={{ code }} />}
      after={
        <>
          {direction === 'rtl' && <Badge>{t('languages.rtl')}</Badge>}
          {language.default && <Badge tone="accent">{t('languages.default')}</Badge>}
        </>
      }
    />
  )
}
