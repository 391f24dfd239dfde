import { now, prepared, type Store, type Tx } from '../../platform/store/store.ts'

const installation = prepared(db => db.selectFrom('installation').select('installed_at'))

export async function hasInstallation(store: Store): Promise<boolean> {
  return (await installation(store)).length > 0
}

/** True for the first call ever. Concurrent calls wait until that transaction ends. */
export async function claimInstallation(tx: Tx): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('installation')
    .values({ one: 1, installed_at: now })
    .onConflict(conflict => conflict.column('one').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

// ---- setup tokens

export async function insertSetupToken(tx: Tx, mac: string): Promise<void> {
  await tx.insertInto('setup_tokens').values({ token_mac: mac, created_at: now }).execute()
}

/** Keeps only the newest tokens: each start of the server may create one. */
export async function deleteOldSetupTokens(tx: Tx, keep: number): Promise<void> {
  await tx
    .deleteFrom('setup_tokens')
    .where('token_mac', 'in', eb =>
      eb
        .selectFrom('setup_tokens')
        .select('token_mac')
        .orderBy('created_at', 'desc')
        .orderBy('token_mac')
        .limit(1000)
        .offset(keep),
    )
    .execute()
}

export async function isSetupToken(tx: Tx, macs: string[]): Promise<boolean> {
  const found = await tx.selectFrom('setup_tokens').select('token_mac').where('token_mac', 'in', macs).execute()
  return found.length > 0
}

export async function deleteSetupTokens(tx: Tx): Promise<void> {
  await tx.deleteFrom('setup_tokens').execute()
}
