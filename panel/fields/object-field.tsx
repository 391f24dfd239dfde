import { Eraser } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { type FieldProps, fieldsIn, isMap, type Values } from './field.ts'
import { errorsByName } from './field-errors.ts'

/** Several fields whose values are stored as one object. */
export function ObjectField({
  field,
  value,
  onChange,
  disabled,
  renderForm,
  nestedErrors = [],
}: FieldProps<Values | ''>) {
  const values = isMap(value) ? value : {}
  const isFilled = Object.values(values).some(
    inner =>
      inner !== '' &&
      inner !== null &&
      inner !== undefined &&
      inner !== false &&
      !(Array.isArray(inner) && inner.length === 0),
  )

  return (
    <div className="rounded-md border bg-surface p-4">
      {renderForm(fieldsIn(field['fields']), values, onChange, errorsByName(nestedErrors))}
      {isFilled && !disabled && !field.required && (
        <div className="mt-4 flex justify-end">
          <Button size="small" variant="plain" icon={Eraser} onClick={() => onChange('')}>
            {t('fields.object.clear')}
          </Button>
        </div>
      )}
    </div>
  )
}
