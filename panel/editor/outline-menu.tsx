import { TableOfContents } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'
import { Menu } from '../ui/menu.tsx'
import { focusField } from './focus-field.ts'
import type { headingsOf } from './long-texts.ts'

/** The headings of a page; choosing one goes there. */
export function OutlineMenu({ headings }: { headings: ReturnType<typeof headingsOf> }) {
  const top = Math.min(...headings.map(({ level }) => level))
  return (
    <Menu
      trigger={<IconButton icon={TableOfContents} label={t('editor.outline')} />}
      items={headings.map(({ text, level, path }) => ({
        text: <bdi style={{ paddingInlineStart: `${level - top}rem` }}>{text}</bdi>,
        // After the menu has returned the focus to its button.
        onSelect: () => requestAnimationFrame(() => focusField(path)),
      }))}
    />
  )
}
