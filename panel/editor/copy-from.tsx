import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useContentLanguage } from '../app/language.ts'
import { SubmitDialog } from '../app/submit-dialog.tsx'
import { toastWithUndo } from '../app/undo.ts'
import { t } from '../texts/texts.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field } from '../ui/field.tsx'
import { Select } from '../ui/select.tsx'
import { type Blueprint, sectionsOf } from './blueprint.ts'
import type { Content } from './content-resource.ts'
import type { Draft } from './draft-state.ts'

interface Props {
  draft: Draft
  blueprint: Blueprint
  onClose: () => void
}

/** Copies the published texts of another language into the draft of this one. */
export function CopyFromDialog({ draft, blueprint, onClose }: Props) {
  const { all, code, current } = useContentLanguage()
  const others = all.filter(language => language.code !== code)
  const [from, setFrom] = useState((others.find(language => language.default) ?? others[0])?.code ?? null)
  const fields = translatedFields(blueprint)
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const source = others.find(language => language.code === from)
  const copy = useMutation({
    meta: { handlesError: true },
    mutationFn: () => draft.resource.origin(source?.code),
    onSuccess: content => {
      const names = fields.map(([name]) => name).filter(name => !left.has(name))
      const before = pick(draft.get().values, names)
      draft.change(pick(content, names))
      toastWithUndo({
        title: t('editor.copy.done', { language: source?.name ?? '' }),
        undone: t('editor.copy.undone'),
        undo: async () => draft.change(before),
      })
      onClose()
    },
  })
  return (
    <SubmitDialog
      title={t('editor.copy.title', { language: current?.name ?? '' })}
      description={t('editor.copy.text')}
      confirm={t('editor.copy.confirm')}
      busy={copy.isPending}
      error={copy.error}
      disabled={from === null || left.size === fields.length}
      onSubmit={() => copy.mutate()}
      onClose={onClose}
    >
      <Field label={t('editor.copy.from')}>
        <Select
          value={from}
          onChange={setFrom}
          options={others.map(language => ({ value: language.code, text: language.name }))}
        />
      </Field>
      <Field label={t('editor.copy.fields')} group>
        <div className="flex flex-col gap-2">
          {fields.map(([name, label]) => (
            <Checkbox
              key={name}
              label={label}
              value={!left.has(name)}
              onChange={isCopied => setLeft(isCopied ? without(left, name) : new Set([...left, name]))}
            />
          ))}
        </div>
      </Field>
    </SubmitDialog>
  )
}

const pick = (content: Content, names: readonly string[]): Content =>
  Object.fromEntries(names.map(name => [name, content[name] ?? '']))

const without = (names: ReadonlySet<string>, name: string) => new Set([...names].filter(other => other !== name))

/** Names and labels of the fields that have a text in each language. */
const translatedFields = ({ tabs }: Blueprint): [name: string, label: string][] =>
  tabs
    .flatMap(sectionsOf)
    .flatMap(({ fields = {} }) => Object.entries(fields))
    .filter(([, { translate, type = '' }]) => translate !== false && !noValue.has(type))
    .map(([name, { label }]) => [name.toLowerCase(), label ?? name])

/** Types of fields without a value. */
const noValue = new Set(['gap', 'headline', 'hidden', 'info', 'line'])
