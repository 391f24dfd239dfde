type EarlyClick = 'menu' | 'search' | 'user'

let pressed: EarlyClick | undefined

/** Records that a button was pressed before its code was loaded. */
export function recordEarlyClick(button: EarlyClick): void {
  pressed = button
}

/** Whether the button was pressed. Resets the record. */
export function consumeEarlyClick(button: EarlyClick): boolean {
  if (pressed !== button) return false
  pressed = undefined
  return true
}
