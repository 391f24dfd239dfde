import { Languages } from 'lucide-react'
import { t } from '../../texts/texts.ts'
import { Button } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { useContentLanguage } from '../language.ts'

/** Switches the content language, on a site with several. */
export function LanguageSwitch() {
  const { all, current, choose } = useContentLanguage()
  if (all.length < 2) return null
  return (
    <Menu
      trigger={
        <Button
          variant="plain"
          icon={Languages}
          aria-label={`${t('app.language')}: ${current?.name ?? ''}, ${current?.code.toUpperCase() ?? ''}`}
        >
          {current?.code.toUpperCase()}
        </Button>
      }
      items={[
        { heading: t('app.language') },
        ...all.map(({ code, name }) => ({
          text: name,
          checked: code === current?.code,
          onSelect: () => void choose(code),
        })),
      ]}
    />
  )
}
