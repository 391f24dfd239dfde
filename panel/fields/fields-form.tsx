import { memo, Suspense, use, useCallback, useLayoutEffect, useMemo, useRef } from 'react'
import { findPart } from '../extensions/parts.ts'
import { t } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { Column, Columns } from '../ui/columns.tsx'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Broken, isBroken, isOverwriting } from './broken.tsx'
import {
  type FieldDefinition,
  type FieldDefinitions,
  type FieldProps,
  type RenderForm,
  textIn,
  type Values,
} from './field.ts'
import { Html, textOfHtml } from './html.tsx'
import { EditedContentContext, FallbacksContext, FieldMarksContext } from './form-contexts.ts'
import { FieldPath, pathTo } from './path.ts'
import { elementType, findType } from './registry.ts'
import { isFieldShown } from './conditions.ts'
import { textsOf, type FieldError, type FieldErrors } from './field-errors.ts'

interface Props {
  /** By lower-case name, in the order of the blueprint. */
  fields: FieldDefinitions
  value: Values
  onChange: (value: Values) => void
  /** Errors by field name. */
  errors?: FieldErrors | undefined
  /** Read-only: no permission, or someone else has the edit lock. */
  disabled?: boolean | undefined
  /** The field that is being edited while the others become read-only. */
  openField?: string | undefined
  language?: string | undefined
  /** The content language is not the default one: fields that are not translated are read-only. */
  secondary?: boolean | undefined
  /** Path of the model in the API: `/pages/notes+first`, `/site`, `/users/x`. */
  model: string
}

/** A form with the fields of a blueprint. Only the field that changes renders again. */
export function FieldsForm(props: Props) {
  const { fields, value, errors, disabled = false, openField, language, secondary = false, model } = props
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })

  const change = useCallback((name: string, next: unknown) => {
    const { value: values, onChange } = latest.current
    const whole = { ...values, [name]: next }
    // Two changes before the next render must not overwrite each other.
    latest.current = { ...latest.current, value: whole }
    onChange(whole)
  }, [])
  const siblings = useCallback(() => latest.current.value, [])
  const [editable, readOnly] = useMemo(() => {
    const formOf =
      (isReadOnly: boolean): RenderForm =>
      (inner, innerValue, onInner, fieldErrors) => (
        <FieldsForm
          fields={inner}
          value={innerValue}
          onChange={onInner}
          errors={fieldErrors}
          disabled={isReadOnly}
          language={language}
          secondary={secondary}
          model={model}
        />
      )
    return [formOf(false), formOf(true)]
  }, [language, secondary, model])

  const content = useMemo(() => ({ model, language }), [model, language])

  return (
    <EditedContentContext value={content}>
      <Columns>
        {Object.entries(fields).map(([name, field]) => {
          if (field.hidden || field.type === 'hidden' || !isFieldShown(field, value)) return null
          const fixed = secondary && field.translate === false
          const isReadOnly = disabled && name !== openField

          return (
            <Column key={name} width={field.width} data-field={name}>
              <FieldRow
                name={name}
                field={field}
                value={value[name]}
                error={errors?.[name]}
                disabled={isReadOnly || field.disabled === true || fixed}
                fixed={fixed}
                language={language}
                model={model}
                renderForm={isReadOnly ? readOnly : editable}
                siblings={siblings}
                onChange={change}
              />
            </Column>
          )
        })}
      </Columns>
    </EditedContentContext>
  )
}

interface RowProps extends Omit<FieldProps, 'onChange' | 'errors' | 'nestedErrors'> {
  onChange: (name: string, value: unknown) => void
  error: FieldError | undefined
  fixed: boolean
}

const FieldRow = memo(function FieldRow({ onChange, fixed, error, ...props }: RowProps) {
  const { name, field, disabled } = props
  const isReplaced = isOverwriting(props.value)
  const value = isOverwriting(props.value) ? props.value.$overwrite : props.value
  const change = useCallback(
    (next: unknown) => onChange(name, isReplaced ? { $overwrite: next } : next),
    [onChange, name, isReplaced],
  )
  const parent = use(FieldPath)
  const path = pathTo(parent, name)
  const fallbacks = use(FallbacksContext)
  const marks = use(FieldMarksContext)
  const isFallback = parent === '' && !fixed && isFilled(value) && fallbacks?.isFallback(name) === true
  const type = findPart('field', field['ownType']) ? elementType : findType(field.type)
  const errors = error && textsOf(error)

  if (!type) {
    return (
      <Field label={field.label ?? name} error={errors} group>
        <Notice tone="warn">{t('fields.unknown', { type: field.type })}</Notice>
      </Field>
    )
  }

  if (isBroken(value)) {
    return (
      <Field label={field.label ?? name} error={errors} group>
        <Broken value={value} disabled={disabled} onReplace={() => onChange(name, { $overwrite: '' })} />
      </Field>
    )
  }

  const Component = type.component
  const editor = (
    <FieldPath value={path}>
      <Suspense fallback={<Skeleton className="h-8 w-full" />}>
        <Component {...props} value={value} errors={errors} nestedErrors={error?.inside} onChange={change} />
      </Suspense>
    </FieldPath>
  )
  if (type.frame === 'none') return editor

  const help = textIn(field.help)

  return (
    <Field
      label={field.label ?? name}
      group={type.frame === 'radiogroup' ? 'radiogroup' : type.frame === 'group'}
      required={field.required}
      disabled={disabled}
      error={errors}
      help={help && <Html value={help} />}
      counter={counterOf(field, value)}
      action={
        <>
          {fixed ? (
            <Badge>{t('fields.untranslated')}</Badge>
          ) : (
            isFallback && <Badge>{t('fields.fallback', { language: fallbacks.language })}</Badge>
          )}
          {parent === '' && marks?.mark(name, field.label ?? name)}
        </>
      }
      className={isFallback ? 'fallback' : undefined}
    >
      {editor}
    </Field>
  )
})

const isFilled = (value: unknown) =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0)

/** Only for fields with a limit; otherwise the count is of no use. */
function counterOf(field: FieldDefinition, value: unknown) {
  const { counter, minlength, maxlength } = field
  if (counter === false || typeof value !== 'string' || (!minlength && !maxlength)) return undefined
  const text = field.type === 'writer' ? textOfHtml(value) : value
  return { count: text.length, min: minlength ?? undefined, max: maxlength ?? undefined }
}
