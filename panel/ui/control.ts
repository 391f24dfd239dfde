import { createContext, useContext } from 'react'

/** Props that every control forwards to its interactive element. */
export interface ControlProps {
  id?: string | undefined
  name?: string | undefined
  disabled?: boolean | undefined
  required?: boolean | undefined
  autoFocus?: boolean | undefined
  'aria-label'?: string | undefined
  'aria-labelledby'?: string | undefined
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean | undefined
}

interface FieldContents {
  id: string
  labelId: string
  describedBy: string | undefined
  invalid: boolean
  required: boolean
  disabled: boolean
}

export const FieldContext = createContext<FieldContents | undefined>(undefined)

/** The attributes of a control: its own, or else those of the surrounding Field. */
export function useControl(own: ControlProps) {
  const field = useContext(FieldContext)
  const invalid = own['aria-invalid'] ?? field?.invalid
  const required = own.required ?? field?.required

  return {
    id: own.id ?? field?.id,
    name: own.name,
    disabled: own.disabled ?? field?.disabled,
    autoFocus: own.autoFocus,
    'aria-label': own['aria-label'],
    'aria-labelledby': own['aria-labelledby'],
    'aria-describedby': own['aria-describedby'] ?? field?.describedBy,
    'aria-invalid': invalid ? true : undefined,
    'aria-required': required ? true : undefined,
  }
}

/** The attributes of a group of controls, which uses `aria-labelledby` instead of a `for` label. */
export function useGroup(own: ControlProps) {
  const field = useContext(FieldContext)
  const control = useControl(own)

  return {
    ...control,
    'aria-labelledby': own['aria-labelledby'] ?? (own['aria-label'] ? undefined : field?.labelId),
  }
}
