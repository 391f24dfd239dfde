import { Editor, type EditorOptions } from '@tiptap/core'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'

/** An editor in the element of the ref. Its options are those of the first render. */
export function useEditor(options: Partial<EditorOptions>): {
  editor: Editor
  place: RefObject<HTMLDivElement | null>
} {
  const [editor] = useState(() => new Editor({ ...options, element: null }))
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    editor.mount(place.current!)
    return () => editor.destroy()
  }, [editor])
  return { editor, place }
}

type Flat = Readonly<Record<string, string | number | boolean | undefined>>

/** Reads values from the editor. The component renders again only when one of them changes. */
export function useEditorState<State extends Flat>(editor: Editor, read: (editor: Editor) => State): State {
  const last = useRef<State>(undefined)
  const subscribe = useCallback(
    (listener: () => void) => {
      editor.on('transaction', listener)
      return () => void editor.off('transaction', listener)
    },
    [editor],
  )
  return useSyncExternalStore(subscribe, () => {
    const next = read(editor)
    const isSame = last.current && Object.keys(next).every(name => Object.is(next[name], last.current![name]))
    return isSame ? last.current! : (last.current = next)
  })
}
