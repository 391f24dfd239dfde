import { Plus, Trash2 } from 'lucide-react'
import { t } from '../texts/texts.ts'
import { Button } from '../ui/button.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Input } from '../ui/input.tsx'

/** Rows as typed: a name may temporarily be empty or duplicate. */
export type Pairs = readonly (readonly [name: string, value: string])[]

export const pairsOf = (map: Readonly<Record<string, string>>): Pairs => Object.entries(map)

export const mapOf = (pairs: Pairs): Record<string, string> =>
  Object.fromEntries(pairs.map(([name, value]) => [name.trim(), value] as const).filter(([name]) => name !== ''))

interface Props {
  value: Pairs
  onChange: (value: Pairs) => void
  /** Labels of the two columns. */
  names: readonly [string, string]
  add: string
  disabled?: boolean | undefined
}

export function PairsInput({ value, onChange, names, add, disabled = false }: Props) {
  const change = (changedIndex: number, next: readonly [string, string]) =>
    onChange(value.map((pair, index) => (index === changedIndex ? next : pair)))
  return (
    <div className="flex flex-col gap-2">
      {value.map(([name, text], index) => (
        <div key={index} className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] items-center gap-2">
          <Input
            aria-label={`${names[0]} ${index + 1}`}
            placeholder={names[0]}
            value={name}
            disabled={disabled}
            spellCheck={false}
            onChange={next => change(index, [next, text])}
          />
          <Input
            aria-label={`${names[1]} ${index + 1}`}
            placeholder={names[1]}
            value={text}
            disabled={disabled}
            spellCheck={false}
            onChange={next => change(index, [name, next])}
          />
          <IconButton
            icon={Trash2}
            label={t('languages.pair.remove', { name: name || String(index + 1) })}
            disabled={disabled}
            onClick={() => onChange(value.filter((_, position) => position !== index))}
          />
        </div>
      ))}
      {!disabled && (
        <div>
          <Button size="small" icon={Plus} onClick={() => onChange([...value, ['', '']])}>
            {add}
          </Button>
        </div>
      )}
    </div>
  )
}
