type Wish = 'menu' | 'search' | 'person'

let asked: Wish | undefined

/** Somebody presses a button before the code for it is loaded. */
export function askFor(wish: Wish): void {
  asked = wish
}

/** Whether it has been asked for. Once: it is then done. */
export function takeWish(wish: Wish): boolean {
  if (asked !== wish) return false
  asked = undefined
  return true
}
