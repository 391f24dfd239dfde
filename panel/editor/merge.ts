import { isMap, type Values } from '../fields/field.ts'
import { equal } from './equal.ts'
import { matchRows } from './rows.ts'
import type { Content } from './content-resource.ts'

/** Names of the fields whose values differ. */
export function differing(one: Content, other: Content): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(name => !equal(one[name], other[name]))
}

export type Side = 'mine' | 'theirs'

/** A step of the path to a nested value: a property by name, or an item of a list by index. */
export type TrailStep = { name: string } | { item: unknown; index: number }

/** A value that both sides changed differently. A deleted value is undefined. */
export interface Collision {
  key: string
  trail: readonly TrailStep[]
  old: unknown
  mine: unknown
  theirs: unknown
  /** The items are the same, in a different order. */
  isOrder?: boolean
}

export interface Sides<Value> {
  mine: Value
  /** The common base of both sides. */
  old: Value
  theirs: Value
}

export interface MergeResult {
  values: Content
  collisions: Collision[]
}

/** Which side wins a collision; undefined means mine. */
export type ChooseSide = (key: string) => Side | undefined

interface MergePosition {
  key: string
  trail: readonly TrailStep[]
}

/**
 * Three-way merge of my values and theirs. A value that only one side changed is taken from that side: fields, blocks
 * by id, rows of structures, and the fields inside them. A value that both sides changed is a collision; mine is used
 * unless theirs is chosen.
 */
export function merge({ mine, old, theirs }: Sides<Content>, choose: ChooseSide = () => undefined): MergeResult {
  const collisions: Collision[] = []
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
  const values = names.map((name): [string, unknown] => [
    name,
    mergeValue({ key: name, trail: [{ name }] }, { mine: mine[name], old: old[name], theirs: theirs[name] }),
  ])
  return { values: Object.fromEntries(values), collisions }

  function mergeValue(place: MergePosition, sides: Sides<unknown>): unknown {
    // Return the same object for equal values, so that nothing renders again.
    if (equal(sides.mine, sides.theirs) || equal(sides.theirs, sides.old)) return sides.mine
    if (equal(sides.mine, sides.old)) return sides.theirs
    if (isAll(sides, isMergeable)) return mergeMap(place, sides)
    // A list field without a value counts as an empty list.
    const lists = { ...sides, old: sides.old ?? [] }
    if (isAll(lists, isList)) {
      const keyed = keysOf(lists)
      if (keyed) return mergeList(place, lists, keyed)
    }
    return collide(place, sides)
  }

  function collide(place: MergePosition, sides: Sides<unknown>, isOrder = false): unknown {
    const { mine: own, theirs: other } = sides
    collisions.push({ ...place, ...sides, ...(isOrder && { isOrder }) })
    return choose(place.key) === 'theirs' ? other : own
  }

  function mergeMap({ key, trail }: MergePosition, sides: Sides<Values>): Values {
    const parts = [...new Set([...Object.keys(sides.mine), ...Object.keys(sides.theirs)])]
    const merged = parts.map(name => {
      const value = { mine: sides.mine[name], old: sides.old[name], theirs: sides.theirs[name] }
      return [name, mergeValue({ key: `${key}/${name}`, trail: [...trail, { name }] }, value)] as const
    })
    return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
  }

  function mergeList(
    { key, trail }: MergePosition,
    sides: Sides<readonly unknown[]>,
    keys: Sides<readonly string[]>,
  ): unknown {
    const items = {
      mine: new Map(keys.mine.map((id, index) => [id, sides.mine[index]])),
      old: new Map(keys.old.map((id, index) => [id, sides.old[index]])),
      theirs: new Map(keys.theirs.map((id, index) => [id, sides.theirs[index]])),
    }
    const merged = new Map<string, unknown>()
    for (const id of new Set([...keys.mine, ...keys.theirs])) {
      const [own, was, other] = [items.mine.get(id), items.old.get(id), items.theirs.get(id)]
      const item = own ?? other
      const index = own === undefined ? keys.theirs.indexOf(id) : keys.mine.indexOf(id)
      const place = { key: `${key}/${id}`, trail: [...trail, { item, index }] }
      // An item of only one side was added by it, or deleted by the other.
      const value = mergeValue(place, { mine: own, old: was, theirs: other })
      if (value !== undefined) merged.set(id, value)
    }
    return orderOf({ key, trail }, sides, keys)
      .filter(id => merged.has(id))
      .map(id => merged.get(id))
  }

  /** Takes the order of the side that changed it. An item of only the other side follows its predecessor there. */
  function orderOf(
    { key, trail }: MergePosition,
    sides: Sides<readonly unknown[]>,
    keys: Sides<readonly string[]>,
  ): string[] {
    const common = new Set(keys.mine.filter(id => keys.old.includes(id) && keys.theirs.includes(id)))
    const order = (ids: readonly string[]) => ids.filter(id => common.has(id)).join('\n')
    const isMoved = { mine: order(keys.mine) !== order(keys.old), theirs: order(keys.theirs) !== order(keys.old) }
    let side: Side = isMoved.mine ? 'mine' : 'theirs'
    if (isMoved.mine && isMoved.theirs && order(keys.mine) !== order(keys.theirs)) {
      const place = { key: `${key}/*order`, trail }
      collide(place, sides, true)
      side = choose(place.key) ?? 'mine'
    }
    const [first, second] = side === 'mine' ? [keys.mine, keys.theirs] : [keys.theirs, keys.mine]
    const all = [...first]
    for (const [index, id] of second.entries()) {
      if (all.includes(id)) continue
      const before = second.slice(0, index).findLast(candidate => all.includes(candidate))
      all.splice(before === undefined ? 0 : all.indexOf(before) + 1, 0, id)
    }
    return all
  }
}

function isAll<Part>(sides: Sides<unknown>, is: (value: unknown) => value is Part): sides is Sides<Part> {
  return is(sides.mine) && is(sides.old) && is(sides.theirs)
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** A reference to a page, file or account is a single value; its displayed properties are not merged. */
const isReference = (value: unknown): value is Values => isMap(value) && 'uuid' in value && 'text' in value
const isMergeable = (value: unknown): value is Values => isMap(value) && !isReference(value)
const isRows = (value: unknown): value is readonly Values[] => isList(value) && value.every(isMergeable)
const isTexts = (value: unknown): value is readonly string[] =>
  isList(value) && value.every(item => typeof item === 'string')

/** Keys of the items: ids of blocks, references and plain values as they are, rows by the matching base row. */
function keysOf(sides: Sides<readonly unknown[]>): Sides<readonly string[]> | undefined {
  for (const id of [idOf, wordOf]) {
    const keys = { mine: sides.mine.map(id), old: sides.old.map(id), theirs: sides.theirs.map(id) }
    if (isAll(keys, isTexts))
      return isUnique(keys.mine) && isUnique(keys.old) && isUnique(keys.theirs) ? keys : undefined
  }
  return isAll(sides, isRows) ? rowKeys(sides) : undefined
}

const isUnique = (ids: readonly string[]) => new Set(ids).size === ids.length

function idOf(item: unknown): string | undefined {
  if (isReference(item)) return String(item['uuid'] ?? item['id'])
  return isMap(item) && typeof item['id'] === 'string' ? item['id'] : undefined
}

const wordOf = (item: unknown) => (typeof item === 'string' || typeof item === 'number' ? String(item) : undefined)

/** Rows have no ids, so the matching base row is their key. Equal rows that both sides added count as one. */
function rowKeys({ mine, old, theirs }: Sides<readonly Values[]>): Sides<readonly string[]> {
  const keys = (rows: readonly Values[], side: Side) => {
    const were = matchRows(old, rows)
    return rows.map((_, index) => (were[index] === undefined ? `${side}-${index}` : `row-${were[index]}`))
  }
  const own = keys(mine, 'mine')
  const added = new Map(own.flatMap((key, index) => (key.startsWith('mine-') ? [[key, mine[index]!] as const] : [])))
  const other = keys(theirs, 'theirs').map((key, index) => {
    const same = key.startsWith('theirs-') ? [...added].find(([, row]) => equal(row, theirs[index])) : undefined
    if (!same) return key
    added.delete(same[0])
    return same[0]
  })
  return { mine: own, old: old.map((_, index) => `row-${index}`), theirs: other }
}
