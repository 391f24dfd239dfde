import { t } from '../texts/texts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { shortcutGroups } from './shortcut-list.ts'
import { keyLabels } from './shortcuts.ts'

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open size="large" title={t('shortcuts.title')} onClose={onClose}>
      {/* In a low window the list scrolls: it must take the focus, for the keyboard. */}
      <div role="group" tabIndex={0} aria-label={t('shortcuts.title')} className="gap-x-10 sm:columns-2">
        {shortcutGroups.map(({ title, shortcuts }) => (
          <section key={title} className="mb-6 break-inside-avoid">
            <h3 className="mb-1 text-sm font-semibold">{t(title)}</h3>
            <dl className="divide-y">
              {shortcuts.map(({ keys, text }) => (
                <div key={text} className="flex items-baseline justify-between gap-4 py-1.5 text-sm">
                  <dt>{t(text)}</dt>
                  <dd className="flex shrink-0 flex-wrap justify-end gap-2">
                    {keys.map((key, index) => (
                      // eslint-disable-next-line react/no-array-index-key -- the same key may be pressed twice
                      <Kbd key={index} keys={keyLabels(key)} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
