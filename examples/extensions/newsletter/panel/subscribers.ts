import { QuoinScreen } from 'quoin/panel'

/** In quotation marks, and so that no spreadsheet takes it for a formula. */
const cell = ({ textContent: text }: HTMLElement) => `"${text.replace(/^[=+@-]/, "'$&").replaceAll('"', '""')}"`

export default class Subscribers extends QuoinScreen {
  readonly #table = document.createElement('table')

  protected override render(): void {
    this.#add('th', 'E-mail', 'State', 'Since')
    this.root.append(this.#table)
    void this.#load()
  }

  async #load(): Promise<void> {
    for (let after: string | undefined; after !== '';) {
      const { data, next } = await this.client.extensions.newsletter.subscribers.list({ after })
      for (const { email, state, time } of data) this.#add('td', email, state, time.slice(0, 10))
      after = next ?? ''
    }
    const button = document.createElement('button')
    button.textContent = 'Download CSV'
    button.addEventListener('click', () => this.#download())
    this.root.prepend(button)
  }

  #add(kind: 'td' | 'th', ...texts: string[]): void {
    const row = this.#table.insertRow()
    for (const text of texts) row.appendChild(document.createElement(kind)).textContent = text
  }

  #download(): void {
    const lines = [...this.#table.rows].map(row => `${[...row.cells].map(cell).join(',')}\r\n`)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob(lines, { type: 'text/csv' }))
    link.download = 'subscribers.csv'
    link.click()
  }
}
