import type { QueryClient } from '@tanstack/react-query'
import { session } from '../app/session.ts'
import { sectionsOf } from '../editor/blueprint.ts'
import { draftOf } from '../editor/open-drafts.ts'
import { pageThing, type ContentResource } from '../editor/content-resource.ts'
import { sectionKey } from '../sections/use-section.ts'
import type { PageModel } from './page.ts'
import { pageQuery } from './page-query.ts'

/** Prefetches what the screen of a page shows first, when the user is about to open it. */
export async function prefetchPage(queryClient: QueryClient, id: string, language: string | undefined): Promise<void> {
  const query = pageQuery(id, language)
  await queryClient.prefetchQuery(query)
  const page = queryClient.getQueryData(query.queryKey)
  const [tab] = page?.blueprint.tabs ?? []
  if (!page || !tab) return
  const thing = pageThing(id, language)
  const sections = sectionsOf(tab)
  if (sections.some(({ type }) => type === 'fields')) void prepareDraft(thing, page)
  await Promise.all(
    sections.map(({ name }) =>
      queryClient.prefetchQuery({
        queryKey: sectionKey(thing, name, 1, ''),
        queryFn: () => thing.section(name, { page: 1 }),
      }),
    ),
  )
}

async function prepareDraft(thing: ContentResource, { content, revision, options }: PageModel): Promise<void> {
  const state = session.get()
  if (state.status !== 'in' || options['update'] !== true) return
  const draft = draftOf(thing, state.user.id)
  if (draft.get().isReady) return
  draft.rebase(content, revision)
  await draft.refresh()
}
