import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, fieldErrors, hasKey } from '../app/errors.ts'
import { t, useLanguage } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Combobox } from '../ui/combobox.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Notice } from '../ui/notice.tsx'
import { toast } from '../ui/toast.ts'
import { Toggles } from '../ui/toggles.tsx'
import { commonLanguages, defaultsFor } from './common.ts'
import { type LanguageModel, languagesChanged } from './model.ts'

const blank: Pick<LanguageModel, 'code' | 'direction' | 'name'> & { locale: string } = {
  code: '',
  name: '',
  locale: '',
  direction: 'ltr',
}

/** Choosing a language fills in the other fields, which can then be edited. */
export function CreateLanguageDialog({
  languages,
  onClose,
}: {
  languages: readonly LanguageModel[]
  onClose: () => void
}) {
  const [form, setForm] = useState(blank)
  const [isDefault, setDefault] = useState(false)
  const navigate = useNavigate()
  const { code: userLanguage } = useLanguage()
  const choices = useMemo(() => commonLanguages(userLanguage), [userLanguage])
  const existingCodes = new Set(languages.map(({ code }) => code))
  const isFirst = languages.length === 0
  const create = useMutation({
    mutationFn: () =>
      client.languages.create({
        code: form.code.trim(),
        name: form.name.trim() || form.code.trim(),
        direction: form.direction,
        ...(form.locale.trim() !== '' && { locale: form.locale.trim() }),
        ...(isDefault && { default: true }),
      }),
    meta: { handlesError: true },
    onSuccess: async ({ code, name }) => {
      await languagesChanged()
      toast({ tone: 'good', title: t('languages.created', { name }) })
      await navigate({ to: '/languages/$code', params: { code } })
    },
  })
  const errors = fieldErrors(create.error)
  const codeError =
    errors['code'] ??
    (hasKey(create.error, 'language.code', 'language.duplicate') ? errorText(create.error) : undefined)
  const hasFieldError = codeError !== undefined || Object.keys(errors).length > 0

  const choose = (code: string | null) => setForm(code === null ? blank : { ...blank, code, ...defaultsFor(code) })

  return (
    <Dialog
      open
      title={t('languages.add')}
      onClose={onClose}
      onSubmit={() => form.code.trim() !== '' && create.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" variant="primary" busy={create.isPending} disabled={form.code.trim() === ''}>
            {t('action.add')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {isFirst && (
          <Notice tone="info">
            {t('languages.first')} {t('languages.first.addresses', { code: form.code.trim().toLowerCase() || 'en' })}
          </Notice>
        )}
        {create.error && !hasFieldError && (
          <Notice tone="danger" live>
            {errorText(create.error)}
          </Notice>
        )}
        <Field label={t('languages.language')} help={t('languages.language.help')}>
          <Combobox
            autoFocus
            value={choices.some(({ code }) => code === form.code) ? form.code : null}
            onChange={choose}
            placeholder={t('languages.language.choose')}
            options={choices.map(({ code, name, nativeName }) => ({
              value: code,
              text: name,
              info: nativeName === name ? code : `${nativeName} · ${code}`,
              disabled: existingCodes.has(code),
            }))}
          />
        </Field>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('languages.code')} required help={t('languages.code.help')} error={codeError}>
            <Input value={form.code} onChange={code => setForm({ ...form, code })} mono dir="ltr" spellCheck={false} />
          </Field>
          <Field label={t('languages.name')} error={errors['name']} help={t('languages.name.help')}>
            <Input value={form.name} onChange={name => setForm({ ...form, name })} />
          </Field>
          <Field label={t('languages.locale')} help={t('languages.locale.help')} error={errors['locale']}>
            <Input
              value={form.locale}
              onChange={locale => setForm({ ...form, locale })}
              placeholder={form.code}
              mono
              dir="ltr"
              spellCheck={false}
            />
          </Field>
          <Field group="radiogroup" label={t('languages.direction')}>
            <Toggles
              value={form.direction}
              onChange={direction => setForm({ ...form, direction: direction ?? 'ltr' })}
              options={[
                { value: 'ltr', text: t('languages.ltr') },
                { value: 'rtl', text: t('languages.rtl') },
              ]}
            />
          </Field>
        </div>
        {!isFirst && (
          <Checkbox
            label={t('languages.makeDefault')}
            info={t('languages.makeDefault.info')}
            value={isDefault}
            onChange={setDefault}
          />
        )}
      </div>
    </Dialog>
  )
}
