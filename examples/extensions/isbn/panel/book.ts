import { QuoinBlock } from 'quoin/panel'

/** The preview of a book in a list of blocks: a spine, the title, the author and the ISBN. */
export default class Book extends QuoinBlock<{ title?: string; author?: string; isbn?: string }> {
  static override styles = `
    :host { padding: 0.25rem 0.75rem; border-inline-start: 0.375rem solid var(--accent); border-radius: 0.1875rem; }
    b, span { display: block; overflow-wrap: anywhere; }
    span { color: var(--muted); font-size: 0.8125rem; }
  `
  readonly #title = document.createElement('b')
  readonly #details = document.createElement('span')

  protected override render(): void {
    this.root.append(this.#title, this.#details)
  }

  protected override update(): void {
    const { title, author, isbn } = this.value
    this.#title.textContent = title || this.field.name
    this.#details.textContent = [author, isbn && `ISBN ${isbn}`].filter(Boolean).join(' · ')
  }
}
