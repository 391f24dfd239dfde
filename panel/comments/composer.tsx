import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { errorText, fieldErrors } from '../app/errors.ts'
import { useDebounced } from '../app/use-debounced.ts'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Textarea } from '../ui/textarea.tsx'
import { isCalled, nameBeforeCaret, type Person, toStored } from './mentions.ts'

interface UnsentText {
  text: string
  people: readonly Person[]
}

interface Props {
  /** Key under which an unsent text is kept until the panel is closed. */
  name: string
  label: string
  placeholder?: string | undefined
  confirm: string
  initial?: UnsentText | undefined
  /** Beside the buttons, such as what the comment is about. */
  extraControls?: ReactNode
  autoFocus?: boolean | undefined
  onSend: (text: string) => Promise<unknown>
  onCancel?: (() => void) | undefined
}

/** By `name`. */
const unsentTexts = new Map<string, UnsentText>()
const emptyText: UnsentText = { text: '', people: [] }
const maxOffered = 6

/** Writes a comment. After `@` it offers people, chosen with the arrow keys and Enter or with a click. */
export function Composer(props: Props) {
  const { name, label, placeholder, confirm, initial = emptyText, extraControls, autoFocus, onSend, onCancel } = props
  const [{ text, people }, setUnsentText] = useState(() => unsentTexts.get(name) ?? initial)
  const [typedName, setTypedName] = useState<string>()
  const [active, setActive] = useState(0)
  const [isSending, setSending] = useState(false)
  const [error, setError] = useState<string>()
  const input = useRef<HTMLTextAreaElement>(null)
  const list = useId()
  const searchTerm = useDebounced(typedName ?? '', 150)
  const { data: found = [] } = useQuery({
    queryKey: ['users', 'mentions', searchTerm],
    enabled: typedName !== undefined,
    placeholderData: before => before,
    queryFn: async () => {
      const query = { limit: maxOffered, select: ['id', 'email', 'name'] as const }
      const { data } = await (searchTerm === ''
        ? client.users.list(query)
        : client.users.search({ q: searchTerm, ...query }))
      return data.map(({ id, email, name: called }) => ({ id, email, name: called ?? '' }))
    },
  })
  // Until the response arrives, the accounts of the previous one that match: Enter must not choose another one.
  const offered =
    typedName === undefined ? [] : found.filter(person => isCalled(`${person.name} ${person.email}`, typedName))

  function write(next: UnsentText) {
    setUnsentText(next)
    setError(undefined)
    if (next.text === initial.text) unsentTexts.delete(name)
    else unsentTexts.set(name, next)
  }

  function handleChange(next: string) {
    write({ text: next, people })
    setTypedName(nameBeforeCaret(next, input.current?.selectionStart ?? next.length))
    setActive(0)
  }

  function choose({ id, email, name: called }: (typeof found)[number]) {
    // Two people of one name are told apart by their addresses.
    const isTaken = people.some(other => other.id !== id && other.name === called)
    const person = { id, name: called === '' || isTaken ? email : called }
    const caret = input.current?.selectionStart ?? text.length
    const before = text.slice(0, caret).replace(/@[^\s@]*$/, `@${person.name} `)
    write({ text: before + text.slice(caret), people: [...people.filter(other => other.id !== id), person] })
    setTypedName(undefined)
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(before.length, before.length)
    })
  }

  async function send() {
    if (text.trim() === '' || isSending) return
    setSending(true)
    try {
      await onSend(toStored(text, people))
      write(initial)
    } catch (problem) {
      setError(fieldErrors(problem)['text'] ?? errorText(problem))
    } finally {
      setSending(false)
    }
  }

  function cancel() {
    unsentTexts.delete(name)
    onCancel?.()
  }

  function handleKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const person = offered[active]
    const isEnter = event.key === 'Enter'
    if (isEnter && (event.ctrlKey || event.metaKey)) void send()
    else if (person && (event.key === 'ArrowDown' || event.key === 'ArrowUp'))
      setActive((active + (event.key === 'ArrowDown' ? 1 : offered.length - 1)) % offered.length)
    else if (person && !event.shiftKey && (isEnter || event.key === 'Tab')) choose(person)
    else if (person && event.key === 'Escape') setTypedName(undefined)
    else if (onCancel && text === initial.text && event.key === 'Escape') cancel()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className="relative flex flex-col gap-2">
      <Field error={error}>
        <Textarea
          ref={input}
          // The placeholder has the direction of the interface.
          dir={text === '' ? undefined : 'auto'}
          rows={2}
          maxRows={12}
          aria-label={label}
          placeholder={placeholder}
          autoFocus={autoFocus}
          value={text}
          onChange={handleChange}
          onKeyDown={handleKeyDown}
          onBlur={() => setTypedName(undefined)}
          aria={{
            'aria-autocomplete': 'list',
            ...(offered.length > 0 && { 'aria-controls': list, 'aria-activedescendant': `${list}-${active}` }),
          }}
        />
      </Field>
      {offered.length > 0 && (
        <ul id={list} role="listbox" aria-label={t('comments.people')} className="popup p-1">
          {offered.map((person, index) => (
            <li
              key={person.id}
              id={`${list}-${index}`}
              role="option"
              aria-selected={index === active}
              data-highlighted={index === active ? '' : undefined}
              // The text keeps the focus.
              onMouseDown={event => event.preventDefault()}
              onClick={() => choose(person)}
              onPointerMove={() => setActive(index)}
              className="option"
            >
              <span className="min-w-0 wrap-anywhere">{person.name || person.email}</span>
              {person.name !== '' && <span className="ms-auto truncate text-sm text-muted">{person.email}</span>}
            </li>
          ))}
        </ul>
      )}
      <div className="flex items-center justify-end gap-2">
        {extraControls}
        {onCancel && (
          <Button size="small" onClick={cancel}>
            {t('action.cancel')}
          </Button>
        )}
        <Button
          size="small"
          variant="primary"
          className="shrink-0"
          disabled={text.trim() === ''}
          busy={isSending}
          onClick={() => void send()}
        >
          {confirm}
        </Button>
      </div>
    </div>
  )
}
