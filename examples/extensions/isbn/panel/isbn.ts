import { QuoinField } from 'quoin/panel'
import { digitsOf } from '../digits.ts'

/** An input that counts the digits while they are typed or scanned. */
export default class Isbn extends QuoinField {
  static override styles = `
    :host { position: relative; }
    input { padding-inline-end: 4rem; font-variant-numeric: tabular-nums; }
    span { position: absolute; inset-block: 0; inset-inline-end: 0.625rem; display: flex; align-items: center; color: var(--muted); font-size: 0.75rem; pointer-events: none; }
  `
  readonly #input = this.control(document.createElement('input'))
  readonly #count = document.createElement('span')

  protected override render(): void {
    this.#input.inputMode = 'numeric'
    this.#input.placeholder = '978'
    this.#input.addEventListener('input', () => this.change(this.#input.value))
    this.#count.ariaHidden = 'true'
    this.root.append(this.#input, this.#count)
  }

  protected override update(): void {
    const { value = '' } = this
    // Only if it differs: the cursor would jump to the end.
    if (this.#input.value !== value) this.#input.value = value
    this.#count.textContent = `${digitsOf(value).length}/13`
  }
}
