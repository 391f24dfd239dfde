import { useMemo } from 'react'
import type { FieldProps } from '../fields/field.ts'
import { useLanguage } from '../texts/texts.ts'
import { useControl } from '../ui/control.ts'
import { Part } from './part.tsx'
import { findPart } from './parts.ts'

/** The input of a field type of an extension. */
export function ElementField({ field, value, onChange, errors, disabled, language }: FieldProps) {
  const { code } = useLanguage()
  const { id } = useControl({})
  const part = findPart('field', field['ownType'])!
  const properties = useMemo(
    () => ({ field, value, disabled, errors: errors ?? [], language: language ?? code }),
    [field, value, disabled, errors, language, code],
  )
  return <Part part={part} properties={properties} attributes={{ id }} onChange={onChange} hasValue />
}
