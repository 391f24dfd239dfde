import type { Value } from '../../blueprints/query.ts'
import type { FileModel } from '../../groups/files/target.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import type { UserRow } from '../../groups/users/users.ts'
import type { Kind } from './lists.ts'
import type { ReadBudget } from './read-budget.ts'

/** The kinds of things that queries see. */
export interface Kinds {
  page: Kind<PageRow>
  file: Kind<FileModel>
  user: Kind<UserRow>
}

/** What queries can go to from anywhere. Whatever the caller may not see is not there. */
export interface QueryContext {
  budget: ReadBudget
  kinds: Kinds
  /** The things that these names lead to: ids, uuids, addresses. */
  find(kind: keyof Kinds, names: readonly string[]): Promise<readonly unknown[]>
  site(): Promise<Value>
}
