import { catalogue, impliedActions, type Permissions } from './permissions.ts'

/** The permissions that exist on a site: the built-in ones, then those of extensions. */
export interface SitePermissions {
  /** The actions of each category. */
  readonly categories: Readonly<Record<string, readonly string[]>>
  /** The permissions of a role whose blueprint sets none: all of them. */
  readonly all: Permissions
  /** The permissions of a role without a blueprint: none. */
  readonly none: Permissions
  /** Every valid scope, to validate the scopes of a new token. */
  readonly scopes: readonly string[]
  /**
   * Reads the permissions of a role from its blueprint: a whole category (`pages: false`) or action by action, with `*`
   * for all; later settings override earlier ones. Actions that are not mentioned are allowed.
   */
  readonly from: (settings: unknown) => { permissions: Permissions; wrong: WrongSetting[] }
}

/** An invalid setting: its path and what is wrong with it. */
interface WrongSetting {
  path: string[]
  message: string
}

type Categories = SitePermissions['categories']
type Refuse = (path: string[], message: string) => void

/** `own` has the categories that extensions add; none of them has the name of a built-in one. */
export function createPermissions(own: Categories = {}): SitePermissions {
  const categories: Categories = Object.freeze({ ...catalogue, ...own })
  const names = Object.keys(categories)
  const all = allowing(categories, true)
  const none = allowing(categories, false)
  return {
    categories,
    all,
    none,
    scopes: [
      '*',
      ...names.flatMap(name => [`${name}.*`, ...namesIn(categories, name).map(action => `${name}.${action}`)]),
    ],
    from(settings) {
      if (settings === undefined || settings === null || settings === true) return { permissions: all, wrong: [] }
      if (settings === false) return { permissions: none, wrong: [] }
      const wrong: WrongSetting[] = []
      const refuse: Refuse = (path, message) => void wrong.push({ path, message })
      if (typeof settings !== 'object' || Array.isArray(settings)) {
        refuse([], 'permissions are true, false, or a list of categories such as "pages"')
        return { permissions: none, wrong }
      }
      const rights = rightsFrom(categories, settings, refuse)
      return { permissions: permissionsIn(rights), wrong }
    },
  }
}

/** The actions that settings and scopes can name: those of the catalogue, then the implied ones. */
const namesIn = (categories: Categories, category: string) => [
  ...categories[category]!,
  ...(impliedActions[category] ?? []),
]

/** Those of a site without extensions. */
export const builtInPermissions = createPermissions()

function rightsFrom(categories: Categories, settings: object, refuse: Refuse): Map<string, Map<string, boolean>> {
  const names = Object.keys(categories)
  const fresh = (category: string, allowed: boolean) =>
    new Map(categories[category]!.map(action => [action, allowed] as const))
  const rights = new Map(names.map(category => [category, fresh(category, true)]))
  for (const [category, value] of Object.entries(settings)) {
    if (category === '*') {
      if (typeof value !== 'boolean') refuse([category], 'must be true or false')
      for (const name of names) rights.set(name, fresh(name, value === true))
    } else if (!Object.hasOwn(categories, category))
      refuse([category], `there is no category "${category}"; there are ${names.join(', ')}`)
    else if (typeof value === 'boolean') rights.set(category, fresh(category, value))
    else if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      refuse([category], 'must be true, false, or a list of actions')
      rights.set(category, fresh(category, false)) // a mistyped restriction must not become a permission
    } else setActions(rights.get(category)!, category, value, { categories, refuse })
  }
  return rights
}

/** `*` stands for the actions of the catalogue: implied ones are set by name only. */
function setActions(
  rights: Map<string, boolean>,
  category: string,
  value: object,
  { categories, refuse }: { categories: Categories; refuse: Refuse },
): void {
  const known = namesIn(categories, category)
  for (const [action, allowed] of Object.entries(value)) {
    const names = action === '*' ? categories[category]! : known.includes(action) ? [action] : []
    if (names.length === 0) refuse([category, action], `there is no action "${action}"; there are ${known.join(', ')}`)
    else if (typeof allowed !== 'boolean') refuse([category, action], 'must be true or false')
    for (const name of names) rights.set(name, allowed === true)
  }
}

function allowing(categories: Categories, allowed: boolean): Permissions {
  const rights = Object.entries(categories).map(
    ([category, actions]) => [category, new Map(actions.map(action => [action, allowed] as const))] as const,
  )
  return permissionsIn(new Map(rights))
}

function permissionsIn(rights: ReadonlyMap<string, ReadonlyMap<string, boolean>>): Permissions {
  const entries = [...rights].map(([category, actions]) => [category, Object.freeze(Object.fromEntries(actions))])
  return Object.freeze(Object.fromEntries(entries)) as Permissions
}
