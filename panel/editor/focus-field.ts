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
