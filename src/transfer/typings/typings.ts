import type { Blueprints, Form } from '../../blueprints/blueprints.ts'
import type { Fields, Fieldset } from '../../blueprints/fields/field.ts'
import type { Api } from '../../http/endpoint.ts'
import { methodsOf, routesOf } from './endpoints.ts'
import { membersOf, type NameOfBlock } from './fields.ts'
import { type Member, printMembers, quoted, type Type } from './print.ts'

/** Fields that every model of a kind has, although its blueprint does not define them. */
const uuid: Member = { name: 'uuid', type: 'string' }
const title: Member = { name: 'title', type: 'string', optional: true }
const implicitFields = {
  site: [title],
  pages: [title, uuid],
  files: [{ name: 'sort', type: 'string', optional: true }, { name: 'template', type: 'string', optional: true }, uuid],
  users: [],
} satisfies Record<string, Member[]>

/**
 * The blueprints of a site as TypeScript: the type of the content of each model in the API, and the endpoints of its
 * extensions.
 */
export function typingsOf(blueprints: Blueprints, tree?: Api): string {
  const blocks = createBlocks()
  const content = (form: Form, own: readonly Member[]): Type => {
    const fields = membersOf(form, blocks.nameOf)
    return { members: [...fields, ...own.filter(({ name }) => !fields.some(field => field.name === name))] }
  }
  const byName = (names: readonly string[], find: (name: string) => Form, own: readonly Member[]): Type => ({
    members: names.map(name => ({ name, type: content(find(name), own) })),
  })
  const body = printMembers(
    [
      ...(tree ? [{ name: 'extensions', type: methodsOf(tree) }] : []),
      {
        name: 'files',
        type: byName(blueprints.templates('files'), name => blueprints.file(name), implicitFields.files),
      },
      {
        name: 'pages',
        type: byName(blueprints.templates('pages'), name => blueprints.page(name), implicitFields.pages),
      },
      { name: 'site', type: content(blueprints.site(), implicitFields.site) },
      { name: 'users', type: byName(blueprints.roles(), role => blueprints.role(role)!, implicitFields.users) },
    ],
    1,
  )
  const parts = [`export interface Blueprints {\n${body}}\n`, ...blocks.parts(), ...(tree ? [routesOf(tree)] : [])]
  return [head, importsFor(parts.join('')), ...parts].filter(part => part !== '').join('\n')
}

/** The first line, which identifies a generated file. */
export const head = '// Made by `quoin types` from the blueprints of the site, and made again when they change.\n'

function importsFor(text: string): string {
  const used = ['FileEntry', 'OrBroken', 'OrEmpty', 'PageEntry', 'UserEntry'].filter(name =>
    new RegExp(`[:<]\\s*${name}\\b`).test(text),
  )
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from 'quoin/client'\n`
}

interface Blocks {
  nameOf: NameOfBlock
  /** The declarations of all block types so far, sorted by name. */
  parts(): string[]
}

/** Declares every block type once: many fields share the same types, and a block may contain itself. */
function createBlocks(): Blocks {
  const names = new Map<Fields, string>()
  const bodies = new Map<string, string>()

  function freeName(base: string): string {
    for (let number = 1; ; number++) {
      const name = number === 1 ? base : `${base}${number}`
      if (!bodies.has(name)) return name
    }
  }

  function nameOf(set: Fieldset): string {
    const existingName = names.get(set.fields)
    if (existingName !== undefined) return existingName
    const base = `${inCapitals(set.type)}Block`
    const name = freeName(base)
    names.set(set.fields, name) // before its fields are printed: a block may contain itself
    bodies.set(name, '')
    const body = printMembers(membersOfBlock(set, nameOf), 1)
    const same = [...bodies].find(([other, text]) => text === body && other.replace(/\d+$/, '') === base)?.[0]
    if (same === undefined) bodies.set(name, body)
    else bodies.delete(name)
    names.set(set.fields, same ?? name)
    return same ?? name
  }

  return {
    nameOf,
    parts: () =>
      [...bodies]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, body]) => `export interface ${name} {\n${body}}\n`),
  }
}

function membersOfBlock(set: Fieldset, nameOf: NameOfBlock): Member[] {
  return [
    { name: 'content', type: { members: membersOf(set, nameOf) } },
    { name: 'id', type: 'string' },
    { name: 'isHidden', type: 'boolean' },
    { name: 'type', type: quoted(set.type) },
  ]
}

/** `call-to-action` → `CallToAction` */
function inCapitals(type: string): string {
  const name = type
    .split(/[^a-z0-9]+/i)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
  return /^[a-z]/i.test(name) ? name : `_${name}`
}
