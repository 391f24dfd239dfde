import { Bold, Code, Heading, Image, Italic, Link, List, ListOrdered, Mail } from 'lucide-react'
import { lazy, Suspense, use, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { t, textOf } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { Textarea } from '../ui/textarea.tsx'
import type { Icon } from '../ui/icon.ts'
import { type FieldProps, textIn, textsIn } from './field.ts'
import { FieldPath } from './path.ts'
import { type Entry, fieldSource } from './picker/sources.ts'
import { Toolbar, type Tool } from './rich/toolbar.tsx'

const PickerDialog = lazy(async () => ({ default: (await import('./picker/picker-dialog.tsx')).PickerDialog }))

interface Mark {
  icon: Icon
  text: string
  key?: string
  /** What stands around the chosen text, or before each of its lines. */
  around?: readonly [string, string]
  lines?: (index: number) => string
}

const marks: Readonly<Record<string, Mark>> = {
  headlines: { icon: Heading, text: 'fields.heading', lines: () => '## ' },
  bold: { icon: Bold, text: 'fields.bold', key: 'b', around: ['**', '**'] },
  italic: { icon: Italic, text: 'fields.italic', key: 'i', around: ['*', '*'] },
  link: { icon: Link, text: 'fields.link', key: 'k', around: ['[', '](https://)'] },
  email: { icon: Mail, text: 'fields.email', around: ['[', '](mailto:)'] },
  file: { icon: Image, text: 'fields.file' },
  code: { icon: Code, text: 'fields.code', around: ['`', '`'] },
  ul: { icon: List, text: 'fields.bulletList', lines: () => '- ' },
  ol: { icon: ListOrdered, text: 'fields.orderedList', lines: index => `${index + 1}. ` },
}

/** Several lines, with marks of Markdown. Fields whose buttons are switched off are plain text. */
export function TextareaField({ field, value, onChange, disabled, errors, model, language }: FieldProps<string>) {
  const path = use(FieldPath)
  const [isChoosing, setChoosing] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const { buttons } = field
  const names =
    buttons === false || disabled
      ? []
      : Array.isArray(buttons)
        ? textsIn(buttons).filter(name => name in marks)
        : Object.keys(marks)

  function insert(element: HTMLTextAreaElement, text: string) {
    const { selectionStart: start, selectionEnd: end, value: whole } = element
    element.focus()
    // The old command is the only one that keeps what the person can take back.
    if (!document.execCommand('insertText', false, text)) onChange(whole.slice(0, start) + text + whole.slice(end))
  }

  function put({ around, lines }: Mark) {
    const element = area.current
    if (!element) return
    if (!around && !lines) return setChoosing(true)
    const { selectionStart: start, selectionEnd: end, value: whole } = element
    const chosen = whole.slice(start, end)
    const text = around
      ? around[0] + chosen + around[1]
      : chosen.split('\n').map((line, index) => lines!(index) + line).join('\n') // prettier-ignore
    insert(element, text)
    const address = around?.[1].indexOf('(') ?? -1
    if (around && address >= 0) {
      const from = start + around[0].length + chosen.length + address + 1
      element.setSelectionRange(from, from + around[1].length - address - 2)
    } else if (around && chosen === '') {
      const at = start + around[0].length
      element.setSelectionRange(at, at)
    }
  }

  const tools: Tool[] = names.map(name => ({
    name,
    text: textOf(marks[name]!.text) ?? name,
    icon: marks[name]!.icon,
    onSelect: () => put(marks[name]!),
  }))

  function pressed(event: KeyboardEvent) {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
    const name = names.find(one => marks[one]!.key === event.key.toLowerCase())
    if (name === undefined) return
    event.preventDefault()
    event.stopPropagation()
    put(marks[name]!)
  }

  const size = { small: 3, medium: 6, large: 12, huge: 20 }[textIn(field['size']) ?? ''] ?? 3

  return (
    <div
      className={cx('control', tools.length > 0 && 'overflow-clip')}
      data-invalid={errors ? '' : undefined}
      data-disabled={disabled ? '' : undefined}
    >
      {tools.length > 0 && <Toolbar label={t('fields.format')} tools={tools} />}
      <Textarea
        ref={area}
        bare
        value={value ?? ''}
        onChange={onChange}
        onKeyDown={pressed}
        disabled={disabled}
        dir="auto"
        rows={size}
        placeholder={textIn(field.placeholder)}
        mono={field['font'] === 'monospace'}
        spellCheck={field['spellcheck'] !== false}
      />
      {isChoosing && (
        <Suspense>
          <PickerDialog
            type="files"
            source={fieldSource(model, path)}
            chosen={[]}
            multiple={false}
            onChoose={([entry]) => entry && area.current && insert(area.current, markOf(entry))}
            onClose={() => setChoosing(false)}
            language={language}
          />
        </Suspense>
      )}
    </div>
  )
}

/** By its uuid: addresses change, and what refers to a file is known by it. */
function markOf({ uuid, id, text, type }: Entry): string {
  const address = (uuid ?? id).replace('file://', '/@/file/')
  return `${type === 'image' ? '!' : ''}[${text.replaceAll(/[[\]\\]/g, String.raw`\$&`)}](${address})`
}
