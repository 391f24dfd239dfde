import { useId, useRef, useState } from 'react'
import type { ClipboardEvent, KeyboardEvent } from 'react'
import { Chip } from './chip.tsx'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import { fillText, useUiTexts } from './texts.ts'

interface Props extends ControlProps {
  value: readonly string[]
  onChange: (value: string[]) => void
  /** Suggestions while typing. Other values are allowed, too, unless `fixed`. */
  suggestions?: readonly { value: string; text: string }[] | undefined
  fixed?: boolean | undefined
  separator?: string | undefined
  max?: number | undefined
  placeholder?: string | undefined
}

const maxSuggestions = 8

/** Sort order of matches: 0 for an equal text, 1 for a prefix of a word, 2 for any other match. */
function distance(text: string, searchText: string): number {
  const name = text.toLocaleLowerCase()
  if (name === searchText) return 0
  return name.split(/[^\p{L}\p{N}]+/u).some((_, index, words) => words.slice(index).join(' ').startsWith(searchText)) ||
    name.startsWith(searchText)
    ? 1
    : 2
}

/** Tags as chips: Enter, Tab or the separator adds one, Backspace in the empty field removes the last one. */
export function TagInput(props: Props) {
  const { value, onChange, suggestions = [], fixed = false, separator = ',', max, placeholder } = props
  const control = useControl(props)
  const texts = useUiTexts()
  const [typed, setTyped] = useState('')
  /** The option chosen with the arrow keys, or -1 for none. Undefined while typing: then the best match is active. */
  const [chosenIndex, setChosenIndex] = useState<number | undefined>(-1)
  const [open, setOpen] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const listId = useId()

  const full = max !== undefined && value.length >= max
  const searchText = typed.trim().toLocaleLowerCase()
  const matches = suggestions
    .filter(({ value: tag, text }) => !value.includes(tag) && text.toLocaleLowerCase().includes(searchText))
    .toSorted((a, b) => distance(a.text, searchText) - distance(b.text, searchText))
    .slice(0, maxSuggestions)
  const isListShown = open && !full && matches.length > 0
  // If the typed text is the beginning of a suggestion, Enter accepts that. Otherwise Enter adds the typed text.
  const active = chosenIndex ?? (fixed || (matches[0] && distance(matches[0].text, searchText) < 2) ? 0 : -1)
  const textOf = (tag: string) => suggestions.find(suggestion => suggestion.value === tag)?.text ?? tag

  function add(entered: readonly string[]) {
    const next = [...value]
    for (const text of entered) {
      const suggestion = suggestions.find(
        offered => offered.value === text || offered.text.toLocaleLowerCase() === text.toLocaleLowerCase(),
      )
      const tag = suggestion?.value ?? (fixed ? '' : text)
      if (tag !== '' && !next.includes(tag) && (max === undefined || next.length < max)) next.push(tag)
    }
    if (next.length > value.length) onChange(next)
    setTyped('')
    setChosenIndex(-1)
  }

  const splitTags = (text: string) =>
    text
      .split(separator)
      .map(part => part.trim())
      .filter(part => part !== '')

  function pressed(event: KeyboardEvent<HTMLInputElement>) {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      const step = event.key === 'ArrowDown' ? 1 : -1
      // One more position than there are matches: -1 for none of them.
      setChosenIndex(((active + 1 + step + matches.length + 1) % (matches.length + 1)) - 1)
    } else if (event.key === 'Enter' || event.key === separator || (event.key === 'Tab' && typed.trim() !== '')) {
      const match =
        isListShown && (event.key === 'Enter' || fixed || chosenIndex !== undefined) ? matches[active] : undefined
      if (event.key === 'Enter' && typed === '' && !match) return
      event.preventDefault()
      add(match ? [match.value] : splitTags(typed))
    } else if (event.key === 'Backspace' && typed === '' && value.length > 0) {
      onChange(value.slice(0, -1))
    } else if (event.key === 'Escape' && isListShown) {
      event.stopPropagation()
      setOpen(false)
    }
  }

  function pasted(event: ClipboardEvent<HTMLInputElement>) {
    const parts = event.clipboardData
      .getData('text')
      .split(/[\n,;\t]/)
      .map(part => part.trim())
    if (parts.length < 2) return
    event.preventDefault()
    add(parts.filter(part => part !== ''))
  }

  return (
    <div className="relative">
      <div
        className="control flex min-h-8 cursor-text flex-wrap items-center gap-1 p-[3px]"
        data-disabled={control.disabled ? '' : undefined}
        onClick={event => {
          if (event.target === event.currentTarget) input.current?.focus()
        }}
      >
        {value.map(tag => (
          <Chip
            key={tag}
            name={textOf(tag)}
            onRemove={control.disabled ? undefined : () => onChange(value.filter(other => other !== tag))}
          />
        ))}
        <input
          {...control}
          ref={input}
          role="combobox"
          aria-expanded={isListShown}
          aria-controls={isListShown ? listId : undefined}
          aria-autocomplete="list"
          aria-activedescendant={isListShown && matches[active] ? `${listId}-${active}` : undefined}
          value={typed}
          disabled={control.disabled || full}
          onChange={event => {
            setTyped(event.target.value)
            setChosenIndex(event.target.value.trim() === '' ? -1 : undefined)
            setOpen(true)
          }}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false)
            if (typed.trim() !== '') add(splitTags(typed))
          }}
          onKeyDown={pressed}
          onPaste={pasted}
          placeholder={value.length === 0 ? (placeholder ?? (fixed ? undefined : texts.tagsHint)) : undefined}
          autoComplete="off"
          className={cx(
            'min-h-6 flex-1 bg-transparent px-1.5 outline-none',
            // Wraps to its own line only while the user types.
            typed === '' && value.length > 0 ? 'min-w-8' : 'min-w-24',
            full && 'hidden',
          )}
        />
      </div>
      {isListShown && (
        <ul
          role="listbox"
          id={listId}
          aria-label={texts.options}
          className="popup absolute start-0 end-0 top-full z-30 mt-1 max-h-72 overflow-y-auto p-1"
        >
          {matches.map((match, index) => (
            <li
              key={match.value}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              data-highlighted={index === active ? '' : undefined}
              className="option hover:bg-hover"
              // On pointer down, not on click: otherwise the input would lose the focus first and add the typed text.
              onPointerDown={event => {
                event.preventDefault()
                add([match.value])
              }}
            >
              {match.text}
            </li>
          ))}
        </ul>
      )}
      <span role="status" className="sr-only">
        {typed !== '' && !fixed && matches.length === 0 ? fillText(texts.addTag, { name: typed }) : ''}
      </span>
    </div>
  )
}
