import { prepared } from '../store/store.ts'

export const selectAccount = prepared((db, id: string) => db.selectFrom('users').select('id').where('id', '=', id))
