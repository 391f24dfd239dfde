const controls = ':is(input, textarea, [role="textbox"], [role="combobox"], button):not(:disabled)'

/**
 * Selectors of the control to focus in a field, best first: the invalid control, the marked row, any enabled control.
 */
const targets = ['[aria-invalid="true"]', 'button[data-wrong]', `:scope [data-wrong] ${controls}`, controls]

/**
 * Focuses the first field with an error. Retries for up to `frames` frames: its tab may have to open and its editor to
 * load.
 */
export function focusFirstError(frames = 60): void {
  requestAnimationFrame(() => {
    const field = document.querySelector('main [data-wrong]')
    const control = targets.map(one => field?.querySelector<HTMLElement>(one)).find(one => one !== null)
    if (!control && frames > 0) return focusFirstError(frames - 1)
    control?.scrollIntoView({ block: 'center' })
    control?.focus({ preventScroll: true })
  })
}

/** The path of the field around an element: names of fields, and ids of blocks in between. */
export function fieldAt(element: Element): string[] {
  const path: string[] = []
  for (let at = element.closest(steps); at; at = at.parentElement?.closest(steps) ?? null)
    path.unshift(at.getAttribute('data-field') ?? at.getAttribute('data-block')!)
  return path
}

const steps = 'main [data-field], main [data-block]'

/**
 * Focuses the field that a path leads to, or the last part of the path that the form shows. Retries for up to `frames`
 * frames: its tab may have to open and its editor to load.
 */
export function focusField(path: readonly string[], frames = 60): void {
  requestAnimationFrame(() => {
    let found: Element | undefined
    for (const step of path) {
      const name = CSS.escape(step)
      const next: Element | null = (found ?? document).querySelector(
        found ? `[data-field="${name}"], [data-block="${name}"]` : `main [data-field="${name}"]`,
      )
      if (!next) break
      found = next
    }
    const control = found?.querySelector<HTMLElement>(controls)
    if (!control && frames > 0) return focusField(path, frames - 1)
    control?.scrollIntoView({ block: 'center' })
    control?.focus({ preventScroll: true })
  })
}
