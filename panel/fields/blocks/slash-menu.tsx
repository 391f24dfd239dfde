import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { t } from '../../texts/texts.ts'
import { Floating } from '../../ui/floating.tsx'
import type { Line } from '../rich/line.ts'
import type { Fieldset, Fieldsets } from './block-value.ts'
import { choicesIn, iconFor } from './choices.ts'

/** A line with a slash and up to 30 characters of a search term. */
const slashPattern = /^\/([^/]{0,30})$/

/**
 * A slash in an empty line opens a menu of block types, filtered by the text after it. The text keeps the focus and
 * forwards the keys.
 */
export function useSlash(fieldsets: Fieldsets | undefined, onChoose: (type: string, line: Line) => void) {
  const [shown, setShown] = useState<State>()
  // Keys may arrive before the next render.
  const latest = useRef<State | undefined>(undefined)
  /** Closed with Escape: stays closed until the slash is deleted. */
  const isPutOff = useRef(false)
  const found = useMemo(() => foundBy(shown?.words, fieldsets), [shown?.words, fieldsets])

  function set(next?: State) {
    latest.current = next
    setShown(next)
  }

  function onLine(line: Line | undefined) {
    const words = line && slashPattern.exec(line.text)?.[1]
    const now = latest.current
    if (words === undefined) isPutOff.current = false
    if (!line || words === undefined || isPutOff.current) return now && set()
    if (now || words === '') set({ line, words, at: words === now?.words ? now.at : 0 })
  }

  function choose(chosen: Fieldset | undefined) {
    const now = latest.current
    set()
    if (chosen && now) onChoose(chosen.type, now.line)
  }

  function onKey({ key }: KeyboardEvent): boolean {
    const now = latest.current
    if (!now) return false
    const sets = foundBy(now.words, fieldsets).flatMap(group => group.sets)
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (key === 'Escape') {
      isPutOff.current = true
      set()
    } else if (sets.length === 0) return false
    else if (step !== undefined) set({ ...now, at: (now.at + step + sets.length) % sets.length })
    else if (key === 'Enter' || key === 'Tab') choose(sets[now.at])
    else return false
    return true
  }

  const sets = found.flatMap(group => group.sets)
  const menu = shown && (
    <SlashMenu
      line={shown.line}
      groups={found}
      current={sets[shown.at]}
      onPoint={one => set({ ...shown, at: sets.indexOf(one) })}
      onChoose={choose}
    />
  )
  return { onLine, onKey, menu }
}

interface State {
  line: Line
  /** The text after the slash. */
  words: string
  at: number
}

type Groups = ReturnType<typeof choicesIn>

/** Lower case, without accents. */
const normalised = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase()

/** Types whose label or name contains the text, ignoring case and accents. */
function foundBy(words = '', fieldsets: Fieldsets = new Map()): Groups {
  const searched = normalised(words.trim())
  return choicesIn(fieldsets)
    .map(({ group, sets }) => ({
      group,
      sets: sets.filter(({ name, type }) => normalised(name).includes(searched) || type.includes(searched)),
    }))
    .filter(({ sets }) => sets.length > 0)
}

interface Props {
  line: Line
  groups: Groups
  current: Fieldset | undefined
  onPoint: (set: Fieldset) => void
  onChoose: (set: Fieldset) => void
}

function SlashMenu({ line, groups, current, onPoint, onChoose }: Props) {
  const id = useId()
  const { element } = line
  const idOf = (set: Fieldset) => `${id}-${set.type}`
  const active = current && idOf(current)
  const count = groups.reduce((sum, { sets }) => sum + sets.length, 0)

  // While the menu is open, the text has the role of a combobox, so that screen readers announce the active option.
  useEffect(() => {
    const before = ['role', 'aria-multiline'].map(name => [name, element.getAttribute(name)] as const)
    const menuAttributes = {
      role: 'combobox',
      'aria-expanded': 'true',
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': id,
    }
    element.removeAttribute('aria-multiline')
    for (const [name, value] of Object.entries(menuAttributes)) element.setAttribute(name, value)
    return () => {
      for (const name of Object.keys(menuAttributes)) element.removeAttribute(name)
      for (const [name, value] of before) if (value !== null) element.setAttribute(name, value)
    }
  }, [element, id])

  useEffect(() => {
    if (active === undefined) return undefined
    element.setAttribute('aria-activedescendant', active)
    document.querySelector(`#${CSS.escape(active)}`)?.scrollIntoView({ block: 'nearest' })
    return () => element.removeAttribute('aria-activedescendant')
  }, [element, active])

  return (
    <Floating at={line.at} near={element} className="w-60 p-1">
      <div role="listbox" id={id} aria-label={t('fields.blocks.add')}>
        {groups.map(({ group, sets }, index) => (
          <div key={group ?? index} role="group" aria-label={group}>
            {group !== undefined && (
              <div aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
                {group}
              </div>
            )}
            {sets.map(set => {
              const Icon = iconFor(set)
              return (
                <div
                  key={set.type}
                  id={idOf(set)}
                  role="option"
                  aria-selected={set === current}
                  data-highlighted={set === current ? '' : undefined}
                  className="option"
                  onPointerMove={() => set !== current && onPoint(set)}
                  onClick={() => onChoose(set)}
                >
                  <Icon aria-hidden="true" className="text-muted" />
                  <span className="min-w-0 flex-1 wrap-anywhere">{set.name}</span>
                </div>
              )
            })}
          </div>
        ))}
      </div>
      {count === 0 && <p className="px-2 py-1.5 text-muted">{t('fields.blocks.slash.none')}</p>}
      <span role="status" className="sr-only">
        {count === 0 ? '' : t('fields.blocks.slash.count', { count })}
      </span>
    </Floating>
  )
}
