import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'
import { isSameView, type ListView, readView, writeView } from './list-view.ts'

/** The view of this list in the URL. The URL has the view of one list: of the one that was filtered last. */
export function useViewInUrl(list: string): ListView {
  const search = useSearch({ strict: false })
  return search.list === list ? readView(search) : {}
}

/** Shows the view in the URL: the link can be shared, and Back shows the same list. */
export function useUpdatedUrl(list: string, view: ListView): void {
  const navigate = useNavigate()
  const inUrl = useViewInUrl(list)
  const update = useEffectEvent(() => {
    if (isSameView(view, inUrl)) return
    const isEmpty = isSameView(view, {})
    void navigate({
      to: '.',
      search: ({ language, tab }) => ({
        ...(language !== undefined && { language }),
        ...(tab !== undefined && { tab }),
        ...(!isEmpty && { list, ...writeView(view) }),
      }),
      replace: true,
      resetScroll: false,
    })
  })
  const { status, template, state, searchTerm } = view
  useEffect(() => update(), [status, template, state, searchTerm])
}
