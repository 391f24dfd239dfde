/** What `panel` of an extension declares. */
export interface OwnPanel {
  fields?: Readonly<Record<string, string>>
  blocks?: Readonly<Record<string, string>>
  screens?: Readonly<Record<string, OwnScreen>>
}

export interface OwnScreen {
  file: string
  /** In the menu: one text, or texts by language. */
  label: string | Readonly<Record<string, string>>
  icon?: string
  access?: string
}
