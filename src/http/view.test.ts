import { accountOf } from '../access/actor.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RequestContext } from './context.ts'
import { selectionQuery } from './query-schemas.ts'
import { viewOf } from './view.ts'

interface Room {
  name: string
  floor: number
}
interface House {
  id: string
  street: string
  owner: string | null
  room: Room | null
}

const ctx = { app: {}, actor: { user: { id: 'ada' } } } as unknown as RequestContext
const house: House = { id: 'h1', street: 'Mill Lane', owner: 'ada', room: { name: 'Kitchen', floor: 0 } }
let reads: string[] = []

const roomView = viewOf<Room>()(
  field => ({
    name: field.value(z.string(), room => room.name),
    floor: field.value(z.int(), room => room.floor),
  }),
  { compact: ['name'] },
)
const view = viewOf<House>()(
  field => ({
    street: field.value(z.string(), ({ street }) => street),
    id: field.value(z.string(), ({ id }) => id),
    mine: field.value(z.boolean(), ({ owner }, { actor }) => owner === accountOf({ actor })),
    slow: field.value(z.string(), async ({ id }) => {
      reads.push('slow')
      return `slow ${id}`
    }),
    room: field.one(roomView, ({ room }) => room as Room),
  }),
  { default: ['id', 'street', 'room'], compact: ['id', ['room', 'compact']] },
)

const show = async (selection = {}, fallback?: string, model = house) => {
  reads = []
  return view.show(ctx, model, selection, fallback)
}

describe('views', () => {
  test('by default the default view is shown', async () => {
    expect(await show()).toEqual({ id: 'h1', street: 'Mill Lane', room: { name: 'Kitchen', floor: 0 } })
  })

  test('an endpoint may have another fallback; an unknown one shows all fields', async () => {
    expect(await show({}, 'compact')).toEqual({ id: 'h1', room: { name: 'Kitchen' } })
    expect(Object.keys(await show({}, 'unknown'))).toEqual(['id', 'mine', 'room', 'slow', 'street'])
  })

  test('a view is chosen by name, and a related model is shown in the view it names', async () => {
    expect(await show({ view: 'compact' })).toEqual({ id: 'h1', room: { name: 'Kitchen' } })
  })

  test('an unknown view shows the default view', async () => {
    expect(await show({ view: 'nonsense' })).toEqual(await show())
    expect(await show({ view: '__proto__' })).toEqual(await show())
    expect(await show({ view: '' })).toEqual(await show())
  })

  test('the view "any" shows every field, also expensive ones', async () => {
    expect(await show({ view: 'any' })).toEqual({
      id: 'h1',
      mine: true,
      room: { name: 'Kitchen', floor: 0 },
      slow: 'slow h1',
      street: 'Mill Lane',
    })
    expect(reads).toEqual(['slow'])
  })

  test('a view takes precedence over a selection', async () => {
    expect(await show({ view: 'compact', select: 'street' })).toEqual({ id: 'h1', room: { name: 'Kitchen' } })
    expect(await show({ view: 'any', select: 'street' })).toHaveProperty('mine')
  })
})

describe('select', () => {
  test.each([
    ['id,street'],
    [' id , street ,'],
    ['street,id,street'],
    [['id', 'street']],
    [['street,id']],
    [['id', 'street', '']],
  ])('%j selects two fields', async select => {
    expect(await show({ select })).toEqual({ id: 'h1', street: 'Mill Lane' })
  })

  test('unknown names are refused', async () => {
    const selects = [
      'id,nonsense',
      '__proto__',
      ['constructor'],
      { nonsense: 'compact', id: '' },
      { room: ['nonsense'] },
    ]
    for (const select of selects)
      await expect(show({ select })).rejects.toMatchObject({ status: 400, details: { select: { label: 'select' } } })
  })

  test('an empty selection is ignored', async () => {
    for (const select of ['', ' , ', [], [''], {}]) expect(await show({ select })).toEqual(await show())
  })

  test('a related model can have its own view or selection', async () => {
    expect(await show({ select: 'room' })).toEqual({ room: { name: 'Kitchen', floor: 0 } })
    expect(await show({ select: { room: 'compact' } })).toEqual({ room: { name: 'Kitchen' } })
    expect(await show({ select: { room: ['floor'] } })).toEqual({ room: { floor: 0 } })
    expect(await show({ select: { room: ['floor'], id: [] } })).toEqual({ id: 'h1', room: { floor: 0 } })
  })

  test('a related model has no view "any"', async () => {
    await expect(show({ select: { room: 'any' } })).rejects.toMatchObject({
      key: 'validation',
      status: 400,
      details: { select: { label: 'select' } },
    })
  })

  test('a missing related model is null', async () => {
    expect(await show({ select: 'room' }, undefined, { ...house, room: null })).toEqual({ room: null })
  })

  test('only selected fields are read', async () => {
    await show({ select: 'id' })
    expect(reads).toEqual([])
    await show({ select: 'slow' })
    expect(reads).toEqual(['slow'])
  })
})

test('fields are in alphabetical order, however declared or selected', async () => {
  expect(Object.keys(await show({ select: 'street,room,mine,id' }))).toEqual(['id', 'mine', 'room', 'street'])
})

test('a field can depend on the caller', async () => {
  expect(await show({ select: 'mine' })).toEqual({ mine: true })
  expect(await show({ select: 'mine' }, undefined, { ...house, owner: 'grace' })).toEqual({ mine: false })
})

test('the schema of a view has every field, none of them required', () => {
  expect(view.schema.safeParse({}).success).toBe(true)
  expect(view.schema.safeParse({ id: 'h1', room: { floor: 1 } }).success).toBe(true)
  expect(view.schema.safeParse({ id: 1 }).success).toBe(false)
})

test('the query accepts a selection in three spellings and limits it', () => {
  const query = z.strictObject(selectionQuery)
  for (const select of ['a,b', ['a', 'b'], { a: 'compact' }, { a: ['b', 'c'] }])
    expect(query.safeParse({ select }).success).toBe(true)
  for (const wrong of [
    { select: 1 },
    { select: { a: { b: 'c' } } },
    { select: 'x'.repeat(1001) },
    { view: ['a'] },
    { view: 'x'.repeat(101) },
  ])
    expect(query.safeParse(wrong).success).toBe(false)
})

test('the number of related models in a response is limited', async () => {
  const houses = viewOf<number>()(
    field => ({
      rooms: field.many(roomView, 'compact', count => Array.from({ length: count }, () => ({ name: 'x', floor: 1 }))),
    }),
    {},
  )
  expect(await houses.showAll({ ...ctx }, [5000, 5000], { select: 'rooms' })).toHaveLength(2)
  await expect(houses.showAll({ ...ctx }, [5000, 5000, 1], { select: 'rooms' })).rejects.toMatchObject({
    key: 'validation',
    details: { select: { label: 'select', message: { max: { key: 'validation.related.count' } } } },
  })
  expect(await houses.showAll({ ...ctx }, [1], { view: 'any' })).toEqual([{}])
  expect(await houses.show({ ...ctx }, 1, { view: 'any' })).toEqual({ rooms: [{ name: 'x' }] })
})
