type Wish = 'menu' | 'search' | 'person'

let asked: Wish | undefined

/** Records that a button was pressed before its code was loaded. */
export function askFor(wish: Wish): void {
  asked = wish
}

/** Whether the button was pressed. Resets the record. */
export function takeWish(wish: Wish): boolean {
  if (asked !== wish) return false
  asked = undefined
  return true
}
