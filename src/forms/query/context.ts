import type { QueryValue } from '../../blueprints/query.ts'
import type { FileModel } from '../../groups/files/target.ts'
import type { PageRow } from '../../groups/pages/queries.ts'
import type { UserRow } from '../../groups/users/users.ts'
import type { ModelKind } from './lists.ts'
import type { ReadBudget } from './read-budget.ts'

/** The model types that queries can return. */
export interface Kinds {
  page: ModelKind<PageRow>
  file: ModelKind<FileModel>
  user: ModelKind<UserRow>
}

/** Data access for queries. Excludes everything that the caller may not see. */
export interface QueryContext {
  budget: ReadBudget
  kinds: Kinds
  /** Finds models by id, uuid or email address. */
  find(kind: keyof Kinds, names: readonly string[]): Promise<readonly unknown[]>
  site(): Promise<QueryValue>
}
