import { openBlock } from '../fields/blocks/open-block.ts'

const controls = ':is(input, textarea, [role="textbox"], [role="combobox"], button:not([data-mark])):not(:disabled)'
/** How long a field must keep the focus. */
const framesToHold = 15
const texts = ':is(input, textarea, [role="textbox"]):not(:disabled)'

/**
 * Selectors of the control to focus in a field, best first: the invalid control, the marked row, any enabled control.
 */
const targets = ['[aria-invalid="true"]', 'button[data-has-error]', `:scope [data-has-error] ${controls}`, controls]

/**
 * Focuses the first field with an error. Retries for up to `frames` frames: its tab may have to open and its editor to
 * load.
 */
export function focusFirstError(frames = 60): void {
  requestAnimationFrame(() => {
    const field = document.querySelector('main [data-has-error]')
    const control = targets.map(selector => field?.querySelector<HTMLElement>(selector)).find(found => found !== null)
    if (!control && frames > 0) return focusFirstError(frames - 1)
    control?.scrollIntoView({ block: 'center' })
    control?.focus({ preventScroll: true })
  })
}

/** Best its text: a toolbar comes before it. */
const controlIn = (field: Element) =>
  field.querySelector<HTMLElement>(texts) ?? field.querySelector<HTMLElement>(controls)

/** Frames for which only the first field counts: its editor may have to load. Then others do, if it cannot be edited. */
const framesForFirst = 60

/**
 * Focuses the first field of the form that can be edited, best its text. Retries for up to `frames` frames, and until
 * the field has kept the focus: a dialog that closes gives it back to where it was.
 */
export function focusFirstField(frames = 120, heldFor = 0): void {
  requestAnimationFrame(() => {
    const fields = [...document.querySelectorAll('main [data-field]')]
    const first = frames > 120 - framesForFirst ? fields.slice(0, 1) : fields
    const control = first.map(controlIn).find(found => found !== null)
    const active = document.activeElement
    const hasFocus = control?.contains(active) === true
    // The user has gone on to another field.
    if (!hasFocus && active?.closest('main :is([data-field], h1)')) return
    if (!hasFocus) control?.focus()
    if (frames > 0 && heldFor < framesToHold) focusFirstField(frames - 1, hasFocus ? heldFor + 1 : 0)
  })
}

/**
 * The path of the field around an element: names of fields, and ids of blocks or numbers of rows in between. Rows, and
 * some fields of blocks, are edited in drawers, which are no part of `main`: they name the element that they belong to.
 */
export function fieldAt(element: Element): string[] {
  const path: string[] = []
  let outermost: Element | null = null
  for (let current = element.closest(steps); current; current = outside(current)?.closest(steps) ?? null) {
    const name =
      current.getAttribute('data-field') ?? current.getAttribute('data-row') ?? current.getAttribute('data-block')
    if (name !== null) path.unshift(name)
    outermost = current
  }
  return outermost?.closest('main') ? path : []
}

/** The name of the field of the form that has the focus, or that is edited in a drawer. */
export function focusedField(): string | undefined {
  const { activeElement: active } = document
  return active ? (fieldAt(active)[0] ?? (active.closest('main h1') ? 'title' : undefined)) : undefined
}

const steps = '[data-field], [data-block], [data-row], [data-inside-block]'

function outside(step: Element): Element | null {
  const [field, block] = [step.getAttribute('data-row-of'), step.getAttribute('data-inside-block')]
  if (field !== null) return document.getElementById(field)
  return block === null ? step.parentElement : document.querySelector(`[data-block="${CSS.escape(block)}"]`)
}

/**
 * Focuses the field that a path leads to, or the last part of the path that the form shows. Retries for up to `frames`
 * frames: its tab may have to open, its editor to load, and its drawer to appear.
 */
export function focusField(path: readonly string[], frames = 90, heldFor = 0): void {
  requestAnimationFrame(() => {
    let found: Element | undefined
    let isOpening = false
    for (const step of path) {
      const next: Element | null = found
        ? insideOf(found, step)
        : document.querySelector(`main [data-field="${CSS.escape(step)}"]`)
      if (!next) {
        isOpening = found !== undefined && open(found, step)
        break
      }
      found = next
    }
    const control = isOpening || !found ? null : controlIn(found)
    const hasFocus = control !== null && control.contains(document.activeElement)
    if (!hasFocus) {
      control?.scrollIntoView({ block: 'center' })
      control?.focus({ preventScroll: true })
    }
    // A drawer that opens moves the focus to its first control, so the field must keep it for a while.
    const isDone = control && (control.closest('main') !== null || heldFor >= framesToHold)
    if (!isDone && frames > 0) focusField(path, frames - 1, hasFocus ? heldFor + 1 : 0)
  })
}

/** The next step of a path, in the form or in the open drawer of the row or block. */
function insideOf(found: Element, step: string): Element | null {
  const name = CSS.escape(step)
  const here = found.querySelector(`[data-field="${name}"], [data-block="${name}"]`)
  const block = found.getAttribute('data-block')
  if (here || block === null) return here ?? rowOf(found, step)
  return document.querySelector(`[data-inside-block="${CSS.escape(block)}"] [data-field="${name}"]`)
}

function rowOf(found: Element, row: string): Element | null {
  const field = found.querySelector('[data-rows]')?.id
  return field === undefined
    ? null
    : document.querySelector(`[data-row="${CSS.escape(row)}"][data-row-of="${CSS.escape(field)}"]`)
}

/** Opens the drawer of a row or block. False if there is none, or if the text of the block is edited in place. */
function open(found: Element, step: string): boolean {
  const row = found.querySelector<HTMLElement>(`[data-rows] [data-open-row="${CSS.escape(step)}"]`)
  if (row) row.click()
  else if (!found.matches('[data-block]') || (step === 'text' && found.querySelector('[role="textbox"]'))) return false
  else found.dispatchEvent(new CustomEvent(openBlock, { bubbles: true }))
  return true
}
