import { type CallerContext, callerOf } from '../../../access/actor.ts'
import { lockAccount } from '../../../access/factors/queries.ts'
import { fail } from '../../../platform/errors.ts'
import { selectSettings, selectSettingsNow, upsertSettings } from './queries.ts'

export type UserSettings = Record<string, unknown>

/** Of all settings of an account as JSON. */
export const maxBytes = 65_536

/** The settings of the caller. */
export async function findSettings(ctx: CallerContext): Promise<UserSettings> {
  const [row] = await selectSettings(ctx.app.store, callerOf(ctx).user.id)
  return row ? (JSON.parse(row.data) as UserSettings) : {}
}

/** Merges the values by name on the locked account of the caller, so that two windows do not undo the changes of each other. */
export async function changeSettings(ctx: CallerContext, changes: UserSettings): Promise<UserSettings> {
  const { store } = ctx.app
  const { id } = callerOf(ctx).user
  return store.write(async tx => {
    if (!(await lockAccount(store, tx, id))) throw fail('user.notFound', { name: id })
    const data = await selectSettingsNow(tx, id)
    // A map, because `__proto__` is a possible name.
    const merged = new Map(Object.entries(data === undefined ? {} : (JSON.parse(data) as UserSettings)))
    for (const [name, value] of Object.entries(changes))
      if (value === null) merged.delete(name)
      else merged.set(name, value)
    const settings = Object.fromEntries(merged)
    const json = JSON.stringify(settings)
    if (Buffer.byteLength(json) > maxBytes) throw fail('user.settings.size', { limit: String(maxBytes) })
    await upsertSettings(tx, id, json)
    return settings
  })
}
