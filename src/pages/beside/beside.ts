import { z } from 'zod'
import type { Look } from '../../http/look.ts'
import { batched } from '../../store/batch.ts'
import { titleOf } from '../pages.ts'
import type { PageRow } from '../queries.ts'
import { listableTemplates } from '../target.ts'
import { selectBeside, type Step } from './queries.ts'

export const besideSchema = z.object({ id: z.string(), title: z.string() }).nullable()

type Find = (uuid: string) => Promise<PageRow | undefined>
const known = new WeakMap<Look, Map<string, Find>>()

/** The page before or after this one, of the same state, that the caller may list. Lists ask for all of theirs together. */
export async function besideOf(
  look: Look,
  { uuid, status }: PageRow,
  step: Step,
): Promise<z.output<typeof besideSchema>> {
  const ways = known.get(look) ?? new Map<string, Find>()
  known.set(look, ways)
  const isListed = status === 'listed'
  const way = `${step} ${isListed}`
  let find = ways.get(way)
  if (!find) ways.set(way, (find = finding(look, step, isListed)))
  const page = await find(uuid)
  return page ? { id: page.path, title: titleOf(look.app, page) } : null
}

function finding(look: Look, step: Step, isListed: boolean): Find {
  const { app, caller } = look
  const templates = listableTemplates(app, caller)
  const load = batched(
    async (store, uuids) => selectBeside(store, await look.language(), { ...templates, step, isListed }, uuids),
    ({ of }) => of,
  )
  return async uuid => (await load(app.store, uuid))?.page
}
