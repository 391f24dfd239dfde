import { t } from '../texts/texts.ts'
import { Card } from '../ui/card.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Toggles } from '../ui/toggles.tsx'
import type { LanguageForm } from './form.ts'
import type { LanguageModel } from './model.ts'
import { PairsInput } from './pairs.tsx'

interface Props {
  language: LanguageModel
  form: LanguageForm
  onChange: (part: Partial<LanguageForm>) => void
  errors: Readonly<Record<string, string | undefined>>
  disabled: boolean
}

/** All settings of a language. */
export function Settings({ language, form, onChange, errors, disabled }: Props) {
  return (
    <>
      <Card title={t('languages.settings')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('languages.name')} required disabled={disabled} error={errors['name']}>
            <Input value={form.name} onChange={name => onChange({ name })} />
          </Field>
          <Field group="radiogroup" label={t('languages.direction')} disabled={disabled}>
            <Toggles
              value={form.direction}
              onChange={direction => onChange({ direction: direction ?? 'ltr' })}
              options={[
                { value: 'ltr', text: t('languages.ltr') },
                { value: 'rtl', text: t('languages.rtl') },
              ]}
            />
          </Field>
          {form.locale.map(([category, text], index) => (
            <Field
              key={category}
              label={category === 'LC_ALL' ? t('languages.locale') : `${t('languages.locale')} (${category})`}
              disabled={disabled}
              help={index === 0 ? t('languages.locale.help') : undefined}
              error={index === 0 ? errors['locale'] : undefined}
            >
              <Input
                value={text}
                mono
                dir="ltr"
                spellCheck={false}
                onChange={next =>
                  onChange({ locale: form.locale.map(pair => (pair[0] === category ? [category, next] : pair)) })
                }
              />
            </Field>
          ))}
          <Field label={t('languages.url')} disabled={disabled} help={t('languages.url.help')} error={errors['url']}>
            <Input value={form.url} mono dir="ltr" spellCheck={false} onChange={url => onChange({ url })} />
          </Field>
        </div>
      </Card>
      <Card title={t('languages.slugs')}>
        <p className="mb-3 text-muted">{t('languages.slugs.help')}</p>
        <PairsInput
          value={form.slugs}
          onChange={slugs => onChange({ slugs })}
          names={[t('languages.slugs.from'), t('languages.slugs.to')]}
          add={t('languages.slugs.add')}
          disabled={disabled}
        />
        <Rules rules={language.rules} own={language.slugs} />
      </Card>
      <Card title={t('languages.translations')}>
        <p className="mb-3 text-muted">{t('languages.translations.help')}</p>
        <PairsInput
          value={form.translations}
          onChange={translations => onChange({ translations })}
          names={[t('languages.translations.key'), t('languages.translations.value')]}
          add={t('languages.translations.add')}
          disabled={disabled}
        />
      </Card>
    </>
  )
}

const maxRules = 40

/** The built-in slug rules of the language, for information. */
function Rules({ rules, own }: { rules: Readonly<Record<string, string>>; own: Readonly<Record<string, string>> }) {
  const built = Object.entries(rules).filter(([letter]) => !(letter in own))
  if (built.length === 0) return null
  const ruleTexts = built.slice(0, maxRules).map(([letter, text]) => `${letter} → ${text}`)
  return (
    <p className="mt-4 text-sm wrap-anywhere text-muted">
      {t('languages.slugs.known')} <span dir="ltr">{ruleTexts.join(', ')}</span>
      {built.length > maxRules && ' …'}
    </p>
  )
}
