import { createContext, useContext } from 'react'

/** English texts of the components. The app replaces them by translations. */
export const uiTexts = {
  close: 'Close',
  cancel: 'Cancel',
  clear: 'Clear',
  remove: 'Remove {name}',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  capsLock: 'Caps lock is on',
  noResults: 'Nothing found',
  loading: 'Loading',
  more: 'More',
  options: 'Options',
  notifications: 'Notifications',
  addTag: 'Add “{name}”',
  tagsHint: 'Separate with a comma or Enter',
  move: 'Move {name}',
  moveHint: 'Drag, or use the arrow keys to move',
  moved: '{name} is now at position {position} of {total}',
  colour: 'Choose a colour',
  now: 'Now',
  today: 'Today',
  calendar: 'Choose from the calendar',
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  notDate: 'This is not a date.',
  notTime: 'This is not a time.',
  required: 'required',
  breadcrumb: 'Path',
  sortedUp: 'ascending',
  sortedDown: 'descending',
  selectAll: 'Select all',
  selectRow: 'Select {name}',
  counter: '{count} of {limit} characters',
}

export type UiTexts = typeof uiTexts

export const UiTextsContext = createContext<UiTexts>(uiTexts)

/** Replaces the placeholders of a text. */
export function fillText(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}

export function useUiTexts(): UiTexts {
  return useContext(UiTextsContext)
}
