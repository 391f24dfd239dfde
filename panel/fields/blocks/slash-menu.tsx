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
  const [openMenu, setOpenMenu] = useState<State>()
  // Keys may arrive before the next render.
  const latest = useRef<State | undefined>(undefined)
  /** Closed with Escape: stays closed until the slash is deleted. */
  const isDismissed = useRef(false)
  const groups = useMemo(() => filterGroups(openMenu?.term, fieldsets), [openMenu?.term, fieldsets])

  function update(next?: State) {
    latest.current = next
    setOpenMenu(next)
  }

  function onLine(line: Line | undefined) {
    const term = line && slashPattern.exec(line.text)?.[1]
    const current = latest.current
    if (term === undefined) isDismissed.current = false
    if (!line || term === undefined || isDismissed.current) return current && update()
    if (current || term === '') update({ line, term, index: term === current?.term ? current.index : 0 })
  }

  function choose(chosen: Fieldset | undefined) {
    const current = latest.current
    update()
    if (chosen && current) onChoose(chosen.type, current.line)
  }

  function onKey({ key }: KeyboardEvent): boolean {
    const current = latest.current
    if (!current) return false
    const sets = filterGroups(current.term, fieldsets).flatMap(group => group.sets)
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (key === 'Escape') {
      isDismissed.current = true
      update()
    } else if (sets.length === 0) return false
    else if (step !== undefined) update({ ...current, index: (current.index + step + sets.length) % sets.length })
    else if (key === 'Enter' || key === 'Tab') choose(sets[current.index])
    else return false
    return true
  }

  const sets = groups.flatMap(group => group.sets)
  const menu = openMenu && (
    <SlashMenu
      line={openMenu.line}
      groups={groups}
      current={sets[openMenu.index]}
      onHighlight={set => update({ ...openMenu, index: sets.indexOf(set) })}
      onChoose={choose}
    />
  )
  return { onLine, onKey, menu }
}

interface State {
  line: Line
  /** The text after the slash. */
  term: string
  /** Of the highlighted block type. */
  index: number
}

type Groups = ReturnType<typeof choicesIn>

/** Lower case, without accents. */
const normalised = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase()

/** Block types whose name or `type` contains the term, ignoring case and accents. */
function filterGroups(typed = '', fieldsets: Fieldsets = new Map()): Groups {
  const term = normalised(typed.trim())
  return choicesIn(fieldsets)
    .map(({ group, sets }) => ({
      group,
      sets: sets.filter(({ name, type }) => normalised(name).includes(term) || type.includes(term)),
    }))
    .filter(({ sets }) => sets.length > 0)
}

interface Props {
  line: Line
  groups: Groups
  current: Fieldset | undefined
  onHighlight: (set: Fieldset) => void
  onChoose: (set: Fieldset) => void
}

function SlashMenu({ line, groups, current, onHighlight, onChoose }: Props) {
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
    <Floating anchorRect={line.rect} near={element} className="w-60 p-1">
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
                  onPointerMove={() => set !== current && onHighlight(set)}
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
