import type { QueryClient } from '@tanstack/react-query'
import { session } from '../app/session.ts'
import { sectionsOf } from '../editor/blueprint.ts'
import { draftOf } from '../editor/open-drafts.ts'
import { pageResource, type ContentResource } from '../editor/content-resource.ts'
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
  const resource = pageResource(id, language)
  const sections = sectionsOf(tab)
  if (sections.some(({ type }) => type === 'fields')) void prepareDraft(resource, page)
  await Promise.all(
    sections.map(({ name }) =>
      queryClient.prefetchQuery({
        queryKey: sectionKey(resource, name, 1, ''),
        queryFn: () => resource.section(name, { page: 1 }),
      }),
    ),
  )
}

async function prepareDraft(resource: ContentResource, { content, revision, options }: PageModel): Promise<void> {
  const state = session.get()
  if (state.status !== 'in' || options['update'] !== true) return
  const draft = draftOf(resource, state.user.id)
  if (draft.get().isReady) return
  draft.rebase(content, revision)
  await draft.refresh()
}
