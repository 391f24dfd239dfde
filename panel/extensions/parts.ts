import type { Routes } from '../../client/routes.ts'

/** A custom element of an extension. */
export interface PanelPart {
  extension: string
  kind: 'field' | 'block' | 'screen'
  /** The field type, the block type, or the last segment of the URL of the screen. */
  name: string
  /** The path of its module below `/panel/extensions/`. */
  path: string
  /** Of a screen: one text, or texts by language. */
  label?: string | Readonly<Record<string, string>>
  icon?: string
  /** The permission or access level that the screen needs. */
  access?: string
}

interface Parts {
  parts?: readonly PanelPart[]
  /** The endpoints of extensions, for the client that parts get. */
  routes?: Routes
  /** What the permissions of extensions allow, in one sentence each. */
  permissions?: Readonly<Record<string, string>>
}

/** The server writes them into the page of a site with such extensions. */
const written = document.querySelector<HTMLMetaElement>('meta[name="quoin-extensions"]')?.content

const { parts = [], routes = {}, permissions = {} }: Parts = written === undefined ? {} : (JSON.parse(written) as Parts)

export const extensionRoutes = routes

/** What a permission of an extension allows; undefined for one of ours. */
export const permissionText = (permission: string): string | undefined => permissions[permission]

export const screens = parts.filter(({ kind }) => kind === 'screen')

export const findPart = (kind: PanelPart['kind'], name: unknown): PanelPart | undefined =>
  parts.find(part => part.kind === kind && part.name === name)

export const screenPath = ({ extension, name }: PanelPart) => `/extensions/${extension}/${name}` as const

/** The text in the language of the interface, or in another one. */
export function labelOf({ label = '', name }: PanelPart, language: string): string {
  if (typeof label === 'string') return label || name
  return label[language] ?? label['en'] ?? label['*'] ?? Object.values(label)[0] ?? name
}
