const controls = ':is(input, textarea, [role="textbox"], [role="combobox"], button):not(:disabled)'

/** What is looked for in a field, the best first: what is wrong itself, the row that is marked, whatever can be reached. */
const targets = ['[aria-invalid="true"]', 'button[data-wrong]', `:scope [data-wrong] ${controls}`, controls]

/** To the first of the fields that need attention. Its tab may have to open first, and its editor to be loaded. */
export function toFirstWrong(frames = 60): void {
  requestAnimationFrame(() => {
    const field = document.querySelector('main [data-wrong]')
    const control = targets.map(one => field?.querySelector<HTMLElement>(one)).find(one => one !== null)
    if (!control && frames > 0) return toFirstWrong(frames - 1)
    control?.scrollIntoView({ block: 'center' })
    control?.focus({ preventScroll: true })
  })
}
