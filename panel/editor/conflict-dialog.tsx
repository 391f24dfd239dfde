import { useState } from 'react'
import type { FieldDefinitions } from '../fields/field.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Difference } from './difference.tsx'
import type { Draft } from './draft-state.ts'
import type { Side } from './merge.ts'
import { nameOf } from './trail.ts'

interface Props {
  draft: Draft
  definitions: FieldDefinitions
  labels: Readonly<Record<string, string>>
  onLater: () => void
}

/** Someone else changed the same fields. The user chooses a version of each; both are preserved until then. */
export function ConflictDialog({ draft, definitions, labels, onLater }: Props) {
  const { conflict } = draft.use()
  const [sides, setSides] = useState<Readonly<Record<string, Side>>>({})
  if (!conflict) return null
  const { collisions } = conflict
  const all = (side: Side) => setSides(Object.fromEntries(collisions.map(({ key }) => [key, side])))
  const isDecided = collisions.every(({ key }) => sides[key])

  return (
    <Dialog
      open
      disablePointerDismissal
      size="large"
      title={t('editor.conflict.title')}
      description={t('editor.conflict.text', { count: collisions.length })}
      onClose={onLater}
      onSubmit={() => {
        if (isDecided) draft.resolve(sides)
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
        {collisions.map(({ key, trail, isOrder, ...values }) => {
          const named = nameOf(trail, definitions)
          const [first] = trail as { name: string }[]
          const names = [labels[first!.name] ?? named.labels[0], ...named.labels.slice(1)]
          const legend = [...names, ...(isOrder ? [t('editor.conflict.order')] : [])].join(' › ')
          return (
            <fieldset key={key} className="min-w-0">
              <legend className="mb-2 font-medium">{legend}</legend>
              <div className="grid gap-3 sm:grid-cols-2">
                {(['theirs', 'mine'] as const).map(side => (
                  <label
                    key={side}
                    className={cx(
                      'flex min-w-0 cursor-pointer flex-col gap-2 rounded-md border p-3 transition-colors hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-focus',
                      sides[key] === side && 'border-accent bg-accent-soft',
                    )}
                  >
                    <span className="flex items-center gap-2 font-medium">
                      <input
                        type="radio"
                        name={`conflict-${key}`}
                        className="size-4 accent-accent outline-none"
                        checked={sides[key] === side}
                        onChange={() => setSides({ ...sides, [key]: side })}
                      />
                      {t(side === 'mine' ? 'editor.conflict.mine' : 'editor.conflict.theirs')}
                    </span>
                    <div
                      className="max-h-48 overflow-y-auto wrap-anywhere whitespace-pre-wrap"
                      tabIndex={0}
                      role="group"
                      aria-label={t(side === 'mine' ? 'editor.conflict.mine' : 'editor.conflict.theirs')}
                    >
                      {values[side] === undefined ? (
                        <span className="text-muted">{t('editor.conflict.deleted')}</span>
                      ) : (
                        <Difference field={named.field} before={values.old} after={values[side]} />
                      )}
                    </div>
                  </label>
                ))}
              </div>
            </fieldset>
          )
        })}
      </div>
    </Dialog>
  )
}
