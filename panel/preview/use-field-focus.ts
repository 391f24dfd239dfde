import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../app/client.ts'
import { toId } from '../pages/id.ts'

/**
 * The path of the field to focus after a click in the preview, and the function to call with the field that was clicked.
 * A field of another page opens that page.
 */
export function useFieldFocus(owner: string): [focus: readonly string[] | undefined, show: (field: string) => void] {
  const navigate = useNavigate()
  const [focus, setFocus] = useState<readonly string[]>()

  async function show(field: string) {
    const [clicked = '', path = ''] = field.split('#')
    if (clicked === owner) return setFocus(path.split('/'))
    if (clicked === 'site://') return navigate({ to: '/site' })
    if (!clicked.startsWith('page://')) return
    const { id } = await client.pages.get({ id: `@${clicked.slice('page://'.length)}`, select: ['id'] })
    await navigate({ to: '/pages/$id', params: { id: toId(id) } })
  }

  return [focus, field => void show(field)]
}
