import type { ReactNode } from 'react'
import type { Icon } from './icon.ts'

/** One of several things to choose from: in Select, Combobox, RadioGroup, Toggles. */
export interface Option<Value extends string = string> {
  value: Value
  text: string
  info?: ReactNode
  icon?: Icon | undefined
  disabled?: boolean | undefined
}
