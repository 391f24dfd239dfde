import { Bold, Code, Heading, Image, Italic, Link, List, ListOrdered, Mail } from 'lucide-react'
import { lazy, Suspense, use, useRef, useState } from 'react'
import type { ClipboardEvent, KeyboardEvent } from 'react'
import { errorText } from '../app/errors.ts'
import { t, textOf } from '../texts/texts.ts'
import { cx } from '../ui/cx.ts'
import { Textarea } from '../ui/textarea.tsx'
import { toast } from '../ui/toast.ts'
import type { Icon } from '../ui/icon.ts'
import { type FieldProps, isMap, textIn, textsIn } from './field.ts'
import { permalinkOf } from './link/kinds.ts'
import { linkAt, markdownLink, type MarkdownLink, escapeMarkdown } from './link/markdown.ts'
import { FieldPath } from './path.ts'
import { useFileDrop, uniquelyNamed } from './paste/file-drop.ts'
import { pastedImages } from './paste/clipboard.ts'
import { pastedMarkdown } from './paste/pasted-markdown.ts'
import { Sending, type SendingFile } from './picker/sending.tsx'
import { allFilesFor, type PickerEntry, fieldSource } from './picker/sources.ts'
import { uploadTargetOf, upload } from './picker/upload.ts'
import { Toolbar, type Tool } from './rich/toolbar.tsx'

const LinkDialog = lazy(async () => ({ default: (await import('./link/link-dialog.tsx')).LinkDialog }))
const PickerDialog = lazy(async () => ({ default: (await import('./picker/picker-dialog.tsx')).PickerDialog }))

interface Mark {
  icon: Icon
  text: string
  key?: string
  /** Text before and after the selection. `lines` has the prefix of each selected line. */
  around?: readonly [string, string]
  lines?: (index: number) => string
  /** Opens the link dialog. */
  link?: 'link' | 'email'
}

const marks: Readonly<Record<string, Mark>> = {
  headlines: { icon: Heading, text: 'fields.heading', lines: () => '## ' },
  bold: { icon: Bold, text: 'fields.bold', key: 'b', around: ['**', '**'] },
  italic: { icon: Italic, text: 'fields.italic', key: 'i', around: ['*', '*'] },
  link: { icon: Link, text: 'fields.link', key: 'k', link: 'link' },
  email: { icon: Mail, text: 'fields.email', link: 'email' },
  file: { icon: Image, text: 'fields.file' },
  code: { icon: Code, text: 'fields.code', around: ['`', '`'] },
  ul: { icon: List, text: 'fields.bulletList', lines: () => '- ' },
  ol: { icon: ListOrdered, text: 'fields.orderedList', lines: index => `${index + 1}. ` },
}

/** Multi-line text with Markdown buttons. Without buttons it is plain text. */
export function TextareaField({ field, value, onChange, disabled, errors, model, language }: FieldProps<string>) {
  const path = use(FieldPath)
  const [isChoosing, setChoosing] = useState(false)
  const [linking, setLinking] = useState<MarkdownLink & { kind: 'link' | 'email' }>()
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
    // `execCommand` is deprecated, but the only way to insert text that preserves the undo history.
    if (!document.execCommand('insertText', false, text)) onChange(whole.slice(0, start) + text + whole.slice(end))
  }

  function put({ around, lines, link }: Mark) {
    const element = area.current
    if (!element) return
    const { selectionStart: start, selectionEnd: end, value: whole } = element
    if (link) return setLinking({ kind: link, ...linkAt(whole, start, end) })
    if (!around && !lines) return setChoosing(true)
    const chosen = whole.slice(start, end)
    const text = around
      ? around[0] + chosen + around[1]
      : chosen.split('\n').map((line, index) => lines!(index) + line).join('\n') // prettier-ignore
    insert(element, text)
    if (around && chosen === '') {
      const caret = start + around[0].length
      element.setSelectionRange(caret, caret)
    }
  }

  /** Replaces the link in the dialog, or the selected text. */
  function replaceLink(text: string) {
    setLinking(undefined)
    if (!linking || !area.current) return
    area.current.setSelectionRange(linking.start, linking.end)
    insert(area.current, text)
  }

  const tools: Tool[] = names.map(name => ({
    name,
    text: textOf(marks[name]!.text) ?? name,
    icon: marks[name]!.icon,
    onSelect: () => put(marks[name]!),
  }))

  function pressed(event: KeyboardEvent) {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
    const name = names.find(candidate => marks[candidate]!.key === event.key.toLowerCase())
    if (name === undefined) return
    event.preventDefault()
    event.stopPropagation()
    put(marks[name]!)
  }

  const [sending, setSending] = useState<SendingFile>()
  const place = disabled ? undefined : uploadTargetOf(field['uploads'], model)

  async function uploadAll(images: readonly File[]) {
    if (!place) return toast({ title: t('fields.paste.noPictures') })
    for (const file of images) {
      setSending({ name: file.name, progress: 0 })
      try {
        const { filename } = await upload(uniquelyNamed(file), place, progress =>
          setSending({ name: file.name, progress }),
        )
        if (area.current && filename !== undefined) insert(area.current, `(image: ${filename})`)
      } catch (error) {
        toast({ tone: 'danger', title: file.name, text: errorText(error) })
      }
    }
    setSending(undefined)
  }

  const drop = useFileDrop({ disabled: disabled || !place, onDrop: images => void uploadAll(images) })

  function pasted(event: ClipboardEvent<HTMLTextAreaElement>) {
    const images = pastedImages(event.clipboardData)
    const markdown = buttons === false ? undefined : pastedMarkdown(event.clipboardData)
    if (images.length > 0) void uploadAll(images)
    else if (markdown !== undefined) insert(event.currentTarget, markdown)
    else return
    event.preventDefault()
    // Otherwise the surrounding blocks field would also handle the image.
    event.stopPropagation()
  }

  // `files` is a query, or the settings of a files field.
  const offered = isMap(field['files']) ? field['files'] : { query: field['files'] }
  const size = { small: 3, medium: 6, large: 12, huge: 20 }[textIn(field['size']) ?? ''] ?? 3

  return (
    <div
      {...drop.handlers}
      className={cx('control', tools.length > 0 && 'overflow-clip', drop.isOver && 'bg-accent-soft!')}
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
        onPaste={pasted}
        disabled={disabled}
        dir="auto"
        rows={size}
        placeholder={textIn(field.placeholder)}
        mono={field['font'] === 'monospace'}
        spellCheck={field['spellcheck'] !== false}
      />
      {sending && <Sending {...sending} />}
      {linking && (
        <Suspense>
          <LinkDialog
            kind={linking.kind}
            link={{ href: linking.href, opensInNewTab: undefined }}
            onSet={({ href }, text) => replaceLink(markdownLink(linking.text || escapeMarkdown(text), href))}
            onRemove={() => replaceLink(linking.text)}
            onClose={() => {
              setLinking(undefined)
              requestAnimationFrame(() => area.current?.focus())
            }}
          />
        </Suspense>
      )}
      {isChoosing && (
        <Suspense>
          <PickerDialog
            type="files"
            source={fieldSource(model, path, offered)}
            all={allFilesFor(offered)}
            place={place}
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

/** By uuid, because it stays the same when the file is renamed or moved. */
const markOf = ({ uuid, id, text, type }: PickerEntry): string =>
  (type === 'image' ? '!' : '') + markdownLink(escapeMarkdown(text), permalinkOf(uuid ?? id))
