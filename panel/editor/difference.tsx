import { type ReactNode, useMemo } from 'react'
import type { FieldDefinition } from '../fields/field.ts'
import { EntryThumb } from '../fields/picker/thumb.tsx'
import { t, textOf } from '../texts/texts.ts'
import { Badge } from '../ui/badge.tsx'
import { cx } from '../ui/cx.ts'
import { type Change, compare, type TextPiece } from './compare.ts'

const kindClasses = {
  same: '',
  gone: 'bg-danger-soft text-danger line-through decoration-1',
  new: 'bg-good-soft text-good no-underline',
}
const elements = { same: 'span', gone: 'del', new: 'ins' } as const

interface Props {
  field: FieldDefinition | undefined
  before: unknown
  after: unknown
}

/** Shows what was removed from and added to the value of a field, by block and by word. */
export function Difference({ field, before, after }: Props) {
  const changes = useMemo(() => compare(field, before, after), [field, before, after])
  return <Changes changes={changes} />
}

function Changes({ changes }: { changes: readonly Change[] }) {
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {changes.map((change, index) => (
        <OneChange key={index} change={change} />
      ))}
    </div>
  )
}

function OneChange({ change }: { change: Change }) {
  if (change.type === 'group')
    return (
      <div className="flex min-w-0 flex-col gap-1.5 border-s-2 ps-3">
        <div className="flex flex-wrap items-center gap-2">
          <span className="text-sm font-medium">{change.label}</span>
          {change.kind !== 'changed' && <Badge tone={tones[change.kind]}>{t(`editor.diff.${change.kind}`)}</Badge>}
        </div>
        {change.changes.length > 0 && <Changes changes={change.changes} />}
      </div>
    )
  return (
    <div className="min-w-0">
      {change.label !== '' && <div className="text-sm text-muted">{change.label}</div>}
      {change.type === 'text' ? (
        <Words pieces={change.pieces} />
      ) : (
        <ul className="flex flex-col gap-1">
          {change.entries.map(({ kind, entry }, index) => {
            const Element = elements[kind]
            return (
              <li key={index} className="flex min-w-0 items-center gap-2">
                <EntryThumb entry={entry} type={change.of} />
                <Element className={cx('min-w-0 rounded-sm px-0.5 wrap-anywhere', kindClasses[kind])}>
                  {entry.text}
                </Element>
              </li>
            )
          })}
        </ul>
      )}
    </div>
  )
}

const tones = { new: 'good', gone: 'danger', moved: 'info' } as const

/** Words with their formatting. If only the formatting or a link target changed, a note after the words says so. */
function Words({ pieces }: { pieces: readonly TextPiece[] }) {
  return (
    <p dir="auto" className="wrap-anywhere whitespace-pre-wrap">
      {shortened(pieces).map((piece, index, all) => {
        const { kind, text, marks } = piece
        const Element = elements[kind]
        const neighbours = [all[index - 1], all[index + 1]]
        const counterpart = neighbours.find(
          other => other && other.kind !== 'same' && other.kind !== kind && other.text === text,
        )
        const notes = kind === 'same' ? [] : notesOf(marks, counterpart?.marks)
        return (
          <Element
            key={index}
            className={cx(kind !== 'same' && 'rounded-sm px-0.5', kind === 'gone' && 'me-0.5', kindClasses[kind])}
          >
            {marked(kind === 'same' ? text : visible(text), marks)}
            {notes.length > 0 && <span className="text-xs font-normal not-italic"> ({notes.join(', ')})</span>}
          </Element>
        )
      })}
    </p>
  )
}

/** Makes added or removed whitespace visible. */
function visible(text: string): string {
  if (text.trim() !== '') return text
  return text
    .replaceAll('\n', '↵\n')
    .replaceAll('\t', '⇥')
    .replaceAll(/[ \u00A0]/g, '·')
}

/**
 * Names of the marks of a word: link targets and block types if the word is new or gone, and every mark that its
 * counterpart lacks.
 */
function notesOf(marks: readonly string[], others: readonly string[] | undefined): string[] {
  const own = marks.filter(mark => (others ? !others.includes(mark) : /^(?:link|block) /.test(mark)))
  if (others && own.length === 0 && marks.length === 0) return [t('editor.diff.plain')]
  return own.map(mark => {
    const [name = '', ...rest] = mark.split(' ')
    if (name === 'link') return `→ ${rest.join(' ')}`
    return textOf(`editor.diff.mark.${name === 'block' ? rest.join('') : name}`) ?? rest.join('') ?? name
  })
}

const markElements: Readonly<Record<string, 'strong' | 'em' | 'u' | 's' | 'code' | 'sup' | 'sub'>> = {
  bold: 'strong',
  italic: 'em',
  underline: 'u',
  strike: 's',
  code: 'code',
  sup: 'sup',
  sub: 'sub',
}

function marked(text: ReactNode, marks: readonly string[]): ReactNode {
  return marks.reduce<ReactNode>((inner, mark) => {
    if (mark.startsWith('link ')) return <span className="underline decoration-dotted">{inner}</span>
    const Element = markElements[mark]
    return Element ? <Element>{inner}</Element> : inner
  }, text)
}

const around = 120

/** Shortens long unchanged passages to the characters next to a change. */
function shortened(pieces: readonly TextPiece[]): TextPiece[] {
  return pieces.map((piece, index) => {
    if (piece.kind !== 'same' || piece.text.length < around * 3) return piece
    const start = index === 0 ? '' : piece.text.slice(0, around)
    const end = index === pieces.length - 1 ? '' : piece.text.slice(-around)
    return { ...piece, text: `${start} … ${end}` }
  })
}
