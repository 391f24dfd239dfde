import { type FormEvent, type KeyboardEvent, useId, useLayoutEffect, useRef } from 'react'
import { textsOf } from '../fields/field-errors.ts'
import { t } from '../texts/texts.ts'
import type { Draft } from './draft-state.ts'
import { focusFirstField } from './focus-field.ts'

interface Props {
  draft: Draft
  /** The published title, until the draft is loaded. */
  title: string
  disabled: boolean
}

/** The title of a page or the site, inside of its heading. It is saved as a draft, like every field. */
export function EditableTitle({ draft, title, disabled }: Props) {
  const value = draft.use(({ values }) => values['title'])
  const error = draft.use(({ errors }) => errors['title'])
  const element = useRef<HTMLSpanElement>(null)
  const errorId = useId()
  const text = typeof value === 'string' ? value : title

  // The browser owns the text while the user types; only other texts are set.
  useLayoutEffect(() => {
    if (element.current && inOneLine(element.current) !== text) element.current.textContent = text
  }, [text, disabled])

  if (disabled) return text

  function typed({ currentTarget }: FormEvent<HTMLSpanElement>) {
    const next = inOneLine(currentTarget)
    // Pasted lines become one; an empty title shows its placeholder.
    if (next === '' || next !== currentTarget.textContent) {
      currentTarget.textContent = next
      getSelection()?.selectAllChildren(currentTarget)
      getSelection()?.collapseToEnd()
    }
    draft.change({ title: next })
  }

  return (
    <span data-has-error={error ? '' : undefined}>
      <span
        ref={element}
        role="textbox"
        contentEditable="plaintext-only"
        suppressContentEditableWarning
        aria-label={t('pages.title')}
        aria-required="true"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
        data-placeholder={t('pages.title')}
        spellCheck
        onInput={typed}
        onKeyDown={pressed}
        className="-mx-1.5 block min-w-16 cursor-text rounded-md px-1.5 empty:before:text-faint empty:before:content-[attr(data-placeholder)] hover:bg-hover focus:bg-transparent"
      />
      {error && (
        <span id={errorId} className="mt-1.5 block text-sm font-normal tracking-normal text-danger">
          {textsOf(error).join(' ')}
        </span>
      )}
    </span>
  )
}

/** Enter and Escape leave the title. */
function pressed(event: KeyboardEvent<HTMLSpanElement>) {
  if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
  event.preventDefault()
  event.currentTarget.blur()
  if (event.key === 'Enter') focusFirstField()
}

const inOneLine = ({ textContent }: HTMLElement) => textContent.replaceAll(/[\n\r\u2028\u2029]+/g, ' ')
