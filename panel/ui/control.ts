import { createContext, useContext } from 'react'

/** What every control forwards to the element a person operates. */
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

/** The attributes of a control: its own, and where it says nothing those of the Field around it. */
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

/** The same for a group of controls, which a label can name but not point at. */
export function useGroup(own: ControlProps) {
  const field = useContext(FieldContext)
  const control = useControl(own)

  return {
    ...control,
    'aria-labelledby': own['aria-labelledby'] ?? (own['aria-label'] ? undefined : field?.labelId),
  }
}
