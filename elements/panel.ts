/**
 * `quoin/panel`: base classes for custom elements with which extensions extend the panel. The module of an element exports
 * its class as default; the panel defines the element. For colours, use the custom properties of the panel (`--ink`,
 * `--muted`, `--surface`, `--line`, `--edge`, `--accent`, `--danger`, `--focus` …): they have other values in dark mode.
 */
import type { Client } from '../client/client.ts'

/** A site whose types are not known: any endpoint of an extension can be called. */
interface AnySite {
  // oxlint-disable-next-line typescript/no-explicit-any -- `quoin types` writes the types of a site
  extensions: any
}

/** A field as its blueprint describes it. Further settings depend on its type. */
export interface FieldSettings {
  readonly name?: string
  readonly type: string
  readonly label?: string | null
  /** HTML. */
  readonly help?: string | null
  readonly required?: boolean
  readonly placeholder?: string | null
  readonly [setting: string]: unknown
}

/** The name and the fields of a block type. */
export interface BlockSettings {
  readonly type: string
  readonly name: string
  readonly fields: Readonly<Record<string, FieldSettings>>
}

const sheets = new Map<string, CSSStyleSheet>()

/** Returns the same style sheet for the same styles, so that all elements of a class share one. */
function sheetOf(styles: string): CSSStyleSheet {
  let sheet = sheets.get(styles)
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(styles)
    sheets.set(styles, sheet)
  }
  return sheet
}

const shared = `
:host { display: block; min-width: 0; color: var(--ink); font: inherit; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
p { margin: 0; }
input, textarea, select, button { font: inherit; color: inherit; }
input, textarea, select { width: 100%; min-width: 0; min-height: 2rem; padding: 0.25rem 0.625rem; border: 1px solid var(--edge); border-radius: 0.375rem; background: var(--surface); }
input[type=checkbox], input[type=radio] { width: auto; min-height: 0; }
:is(input, textarea, select):focus-visible { border-color: var(--focus); outline: none; box-shadow: 0 0 0 1px var(--focus); }
[aria-invalid=true] { border-color: var(--danger); }
:is(input, textarea, select):disabled { border-color: var(--line); background: var(--sunken); color: var(--muted); }
::placeholder { color: var(--faint); opacity: 1; }
button { min-height: 2rem; padding: 0 0.75rem; border: 1px solid var(--edge); border-radius: 0.375rem; background: var(--surface); cursor: pointer; }
button:hover { background: var(--hover); }
button:focus-visible, a:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
a { color: var(--accent); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem 0.625rem; border-bottom: 1px solid var(--line); text-align: start; vertical-align: top; }
td { min-width: 6rem; overflow-wrap: anywhere; }
th { color: var(--muted); font-weight: 500; }
`

/** What fields, blocks and screens share: a shadow root with the styles of the panel, and the client of the user. */
export abstract class QuoinElement<Site = AnySite> extends HTMLElement {
  /** CSS of the element, after that of the panel. */
  static styles = ''

  /** The client of the API, as the signed-in user. */
  client!: Client<Site>
  readonly root: ShadowRoot
  #language = 'en'
  #isRendered = false

  constructor() {
    super()
    this.root = this.attachShadow({ mode: 'open', delegatesFocus: true })
    this.root.adoptedStyleSheets = [sheetOf(shared), sheetOf((this.constructor as typeof QuoinElement).styles)]
  }

  /** In fields and blocks the code of the content language, in screens that of the interface language. */
  get language(): string {
    return this.#language
  }

  set language(language: string) {
    this.#language = language
    this.refresh()
  }

  connectedCallback(): void {
    if (!this.#isRendered) this.render()
    this.#isRendered = true
    this.refresh()
  }

  /** Fills `root`, once. */
  protected abstract render(): void

  /** Shows what has changed. Called after `render` and whenever the panel sets a property. */
  protected update(): void {}

  protected refresh(): void {
    if (this.isConnected && this.#isRendered) this.update()
  }
}

/** The text of HTML, without tags. */
const textOf = (html: string) => new DOMParser().parseFromString(html, 'text/html').body.textContent.trim()

/** Base class for the input of a field. The panel shows the label, the help and the errors of the field around it. */
export abstract class QuoinField<Value = string, Site = AnySite> extends QuoinElement<Site> {
  static formAssociated = true

  readonly #internals = this.attachInternals()
  readonly #controls = new Set<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>()
  #field: FieldSettings = { type: '' }
  #value: Value | undefined
  #disabled = false
  #errors: readonly string[] = []

  /** The field as its blueprint describes it. */
  get field(): FieldSettings {
    return this.#field
  }

  set field(field: FieldSettings) {
    this.#field = field
    this.refresh()
  }

  /** The value as the API sends it; undefined if there is none yet. */
  get value(): Value | undefined {
    return this.#value
  }

  set value(value: Value | undefined) {
    this.#value = value
    this.#internals.setFormValue(typeof value === 'string' ? value : (JSON.stringify(value) ?? null))
    this.refresh()
  }

  get disabled(): boolean {
    return this.#disabled
  }

  set disabled(disabled: boolean) {
    this.#disabled = disabled
    this.refresh()
  }

  /** Texts of the errors of the field. */
  get errors(): readonly string[] {
    return this.#errors
  }

  set errors(errors: readonly string[]) {
    this.#errors = errors
    this.#internals.setValidity(errors.length > 0 ? { customError: true } : {}, errors.join('\n'))
    this.refresh()
  }

  /** The `<form>` around the element. */
  get form(): HTMLFormElement | null {
    return this.#internals.form
  }

  /** Makes an input of the shadow root accessible: it gets the label, help, errors and state (required, invalid, disabled) of the field. */
  protected control<Control extends HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>(
    control: Control,
  ): Control {
    this.#controls.add(control)
    return control
  }

  /** Sets the value and tells the panel, which saves it in the draft. */
  protected change(value: Value): void {
    this.value = value
    this.dispatchEvent(new Event('change'))
  }

  protected override refresh(): void {
    // Inside the shadow root, an input cannot refer to the label and help that the panel shows around the element.
    const description = [textOf(this.#field.help ?? ''), ...this.#errors].join(' ').trim()
    for (const control of this.#controls) {
      control.ariaLabel = this.#field.label ?? this.#field.name ?? ''
      control.ariaRequired = String(this.#field.required === true)
      control.ariaInvalid = String(this.#errors.length > 0)
      control.ariaDescription = description
      control.disabled = this.#disabled
    }
    super.refresh()
  }
}

/** Base class for the preview of a block in its list. A click on the preview opens the form of the block. */
export abstract class QuoinBlock<
  Content = Readonly<Record<string, unknown>>,
  Site = AnySite,
> extends QuoinElement<Site> {
  #field: BlockSettings = { type: '', name: '', fields: {} }
  #value: Content = {} as Content
  #disabled = false

  /** The block type. */
  get field(): BlockSettings {
    return this.#field
  }

  set field(field: BlockSettings) {
    this.#field = field
    this.refresh()
  }

  get disabled(): boolean {
    return this.#disabled
  }

  set disabled(disabled: boolean) {
    this.#disabled = disabled
    this.refresh()
  }

  /** The values of the fields of the block, by name. */
  get value(): Content {
    return this.#value
  }

  set value(value: Content) {
    this.#value = value
    this.refresh()
  }
}

/** The elements of a screen are below each other, with the same gap as those of the panel. */
const screenStyles = ':host { display: flex; flex-direction: column; align-items: flex-start; gap: 1rem; }'

/** Base class for a screen with an entry in the menu. The panel shows its heading. */
export abstract class QuoinScreen<Site = AnySite> extends QuoinElement<Site> {
  constructor() {
    super()
    this.root.adoptedStyleSheets.splice(1, 0, sheetOf(screenStyles))
  }
}
