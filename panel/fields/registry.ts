import { type ComponentType, lazy } from 'react'
import { CheckboxesField } from './checkboxes-field.tsx'
import { ColorField } from './color-field.tsx'
import { DateField } from './date-field.tsx'
import { GapField, HeadlineField, HiddenField, InfoField, LineDecoration } from './decoration.tsx'
import type { FieldProps } from './field.ts'
import { LineField } from './line-field.tsx'
import { LinkField } from './link-field.tsx'
import { MultiselectField } from './multiselect-field.tsx'
import { NumberField } from './number-field.tsx'
import { ObjectField } from './object-field.tsx'
import { RadioField } from './radio-field.tsx'
import { RangeField } from './range-field.tsx'
import { SelectField } from './select-field.tsx'
import { SlugField } from './slug-field.tsx'
import { TagsField } from './tags-field.tsx'
import { TextareaField } from './textarea-field.tsx'
import { TimeField } from './time-field.tsx'
import { ToggleField } from './toggle-field.tsx'
import { TogglesField } from './toggles-field.tsx'

interface Registered {
  /** Each component handles stored values of any type. */
  component: ComponentType<FieldProps>
  /**
   * `line`: a label for a single control. `group`: a label for several controls. `radiogroup`: one for a control with
   * this role. `none`: no label, help or errors.
   */
  frame: 'line' | 'group' | 'radiogroup' | 'none'
}

const framed =
  (frame: Registered['frame']) =>
  <Value>(component: ComponentType<FieldProps<Value>>): Registered => ({
    component: component as unknown as ComponentType<FieldProps>,
    frame,
  })
const line = framed('line')
const group = framed('group')
const radiogroup = framed('radiogroup')
const none = framed('none')

const picker = lazy(async () => ({ default: (await import('./picker/picker-field.tsx')).PickerField }))

/** All field types by their names in a blueprint. Large ones are loaded on demand. */
const types: Readonly<Record<string, Registered>> = {
  blocks: group(lazy(async () => ({ default: (await import('./blocks/blocks-field.tsx')).BlocksField }))),
  checkboxes: group(CheckboxesField),
  color: line(ColorField),
  date: line(DateField),
  email: line(LineField),
  files: group(picker),
  gap: none(GapField),
  headline: none(HeadlineField),
  hidden: none(HiddenField),
  info: none(InfoField),
  layout: group(lazy(async () => ({ default: (await import('./layout/layout-field.tsx')).LayoutField }))),
  line: none(LineDecoration),
  link: line(LinkField),
  list: group(lazy(async () => ({ default: (await import('./writer-field.tsx')).WriterField }))),
  multiselect: line(MultiselectField),
  number: line(NumberField),
  object: group(ObjectField),
  pages: group(picker),
  radio: radiogroup(RadioField),
  range: line(RangeField),
  select: line(SelectField),
  slug: line(SlugField),
  structure: group(lazy(async () => ({ default: (await import('./structure/structure-field.tsx')).StructureField }))),
  table: group(lazy(async () => ({ default: (await import('./table/table-field.tsx')).TableField }))),
  tags: line(TagsField),
  tel: line(LineField),
  text: line(LineField),
  textarea: line(TextareaField),
  time: line(TimeField),
  toggle: line(ToggleField),
  toggles: radiogroup(TogglesField),
  url: line(LineField),
  users: group(picker),
  writer: group(lazy(async () => ({ default: (await import('./writer-field.tsx')).WriterField }))),
}

/** A type of an extension with an input of its own. */
export const elementType = line(
  lazy(async () => ({ default: (await import('../extensions/element-field.tsx')).ElementField })),
)

/** Undefined for an unknown type. */
export const findType = (type: string): Registered | undefined => (Object.hasOwn(types, type) ? types[type] : undefined)
