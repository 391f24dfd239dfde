import type { ReactNode } from 'react'
import type { Icon } from './icon.ts'

/** An option of Select, Combobox, RadioGroup or Toggles. */
export interface Option<Value extends string = string> {
  value: Value
  text: string
  info?: ReactNode
  icon?: Icon | undefined
  disabled?: boolean | undefined
}
