import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Difference } from './difference.tsx'
import type { Draft } from './draft.ts'
import { readable } from './readable.ts'

type Side = 'mine' | 'theirs'

interface Props {
  draft: Draft
  labels: Readonly<Record<string, string>>
  onLater: () => void
}

/** Somebody else has published other words in the meantime: whose stay is decided field by field, and nothing is lost before. */
export function ConflictDialog({ draft, labels, onLater }: Props) {
  const { conflict, values } = draft.use()
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({})
  if (!conflict) return null
  const { fields, theirs } = conflict
  const all = (side: Side) => setSides(Object.fromEntries(fields.map(name => [name, side])))
  const isDecided = fields.every(name => sides[name])

  return (
    <Dialog
      open
      firm
      size="large"
      title={t('editor.conflict.title')}
      description={t('editor.conflict.text', { count: fields.length })}
      onClose={onLater}
      onSubmit={() => {
        if (isDecided) draft.resolve(new Set(fields.filter(name => sides[name] === 'mine')))
      }}
      footer={
        <>
          <Button className="me-auto" variant="plain" onClick={onLater}>
            {t('editor.conflict.later')}
          </Button>
          <Button onClick={() => all('theirs')}>{t('editor.conflict.allTheirs')}</Button>
          <Button onClick={() => all('mine')}>{t('editor.conflict.allMine')}</Button>
          <Button variant="primary" type="submit" disabled={!isDecided}>
            {t('editor.conflict.done')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        {fields.map(name => (
          <fieldset key={name} className="min-w-0">
            <legend className="mb-2 font-medium">{labels[name] ?? name}</legend>
            <div className="grid gap-3 sm:grid-cols-2">
              {(['theirs', 'mine'] as const).map(side => (
                <label
                  key={side}
                  className={cx(
                    'flex min-w-0 cursor-pointer flex-col gap-2 rounded-md border p-3 transition-colors hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-focus',
                    sides[name] === side && 'border-accent bg-accent-soft',
                  )}
                >
                  <span className="flex items-center gap-2 font-medium">
                    <input
                      type="radio"
                      name={`conflict-${name}`}
                      className="size-4 accent-accent outline-none"
                      checked={sides[name] === side}
                      onChange={() => setSides({ ...sides, [name]: side })}
                    />
                    {t(side === 'mine' ? 'editor.conflict.mine' : 'editor.conflict.theirs')}
                  </span>
                  <div
                    className="max-h-48 overflow-y-auto wrap-anywhere whitespace-pre-wrap"
                    tabIndex={0}
                    role="group"
                    aria-label={t(side === 'mine' ? 'editor.conflict.mine' : 'editor.conflict.theirs')}
                  >
                    {side === 'theirs' ? (
                      readable(theirs[name]) || t('editor.diff.empty')
                    ) : (
                      <Difference before={theirs[name]} after={values[name]} />
                    )}
                  </div>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
      </div>
    </Dialog>
  )
}
