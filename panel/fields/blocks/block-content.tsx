import { Film, Image } from 'lucide-react'
import { lazy, type ReactNode, Suspense } from 'react'
import { iconOf } from '../../app/icons.ts'
import { findPart } from '../../extensions/parts.ts'
import { t } from '../../texts/texts.ts'
import { cx } from '../../ui/cx.ts'
import { Select } from '../../ui/select.tsx'
import { Textarea } from '../../ui/textarea.tsx'
import { textIn, primitiveText } from '../field.ts'
import { LinkTarget } from '../link/link-target.tsx'
import { choicesOf } from '../options.ts'
import { valueText } from '../preview.tsx'
import { entriesIn } from '../picker/entries.ts'
import type { PickerEntry } from '../picker/sources.ts'
import type { BlockContentProps } from './block-actions.ts'
import { TableBlock } from './table-block.tsx'
import { TextPart } from './text-part.tsx'

const BlockPart = lazy(async () => ({ default: (await import('../../extensions/block-part.tsx')).BlockPart }))

/** A block in its list. Texts are edited inline, other fields in a drawer. */
export function BlockContent(props: BlockContentProps): ReactNode {
  const { fieldset } = props
  const part = findPart('block', fieldset.type)
  if (part)
    return (
      <Suspense fallback={<Summary {...props} />}>
        <BlockPart
          {...props}
          part={part}
          frame={preview => <Opening {...props}>{preview}</Opening>}
          fallback={<Summary {...props} />}
        />
      </Suspense>
    )
  const has = (name: string) => name in fieldset.fields
  switch (fieldset.preview) {
    case 'heading':
      return has('text') ? <Heading {...props} /> : <Summary {...props} />
    case 'text':
    case 'list':
      return has('text') ? (
        <TextPart {...props} part="text" label={fieldset.name} lines={fieldset.preview === 'text'} />
      ) : (
        <Summary {...props} />
      )
    case 'quote':
      return has('text') ? <Quotation {...props} /> : <Summary {...props} />
    case 'code':
      return has('code') ? <Code {...props} part="code" /> : <Summary {...props} />
    case 'markdown':
      return has('text') ? <Code {...props} part="text" /> : <Summary {...props} />
    case 'table':
      return has('table') ? <TableBlock {...props} /> : <Summary {...props} />
    case 'line':
      return <hr className="my-3 border-line-strong" />
    case 'image':
    case 'gallery':
      return <Images {...props} />
    case 'video':
      return <Video {...props} />
    default:
      return <Summary {...props} />
  }
}

const sizes: Readonly<Record<string, string>> = {
  h1: 'text-2xl/8', h2: 'text-xl/7', h3: 'text-lg/6', h4: 'text-base/6', h5: 'text-sm/6', h6: 'text-sm/6',
} // prettier-ignore

function Heading(props: BlockContentProps) {
  const level = textIn(props.block.content['level']) ?? 'h2'
  const { fieldset, block, actions, disabled } = props
  const levels = fieldset.fields['level'] ? choicesOf(fieldset.fields['level']) : []

  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">
        <TextPart {...props} part="text" label={fieldset.name} className={cx('font-semibold', sizes[level])} />
      </div>
      {levels.length > 1 && (
        <Level
          value={level}
          levels={levels.map(({ value }) => value)}
          disabled={disabled}
          onChange={next => actions.change(block.id, { level: next })}
        />
      )}
    </div>
  )
}

interface LevelProps {
  value: string
  levels: readonly string[]
  disabled: boolean
  onChange: (level: string) => void
}

/** A native select, because there may be hundreds of them. */
function Level({ value, levels, disabled, onChange }: LevelProps) {
  return (
    <select
      aria-label={t('fields.blocks.level')}
      value={value}
      disabled={disabled}
      onChange={event => onChange(event.target.value)}
      className="h-6 shrink-0 rounded-sm bg-transparent px-1 text-xs text-muted hover:bg-hover"
    >
      {[...new Set([...levels, value])].map(level => (
        <option key={level} value={level}>
          {level.toUpperCase()}
        </option>
      ))}
    </select>
  )
}

function Quotation(props: BlockContentProps) {
  const hasSource = 'citation' in props.fieldset.fields

  return (
    <div className="border-s-2 border-line-strong ps-3">
      <TextPart {...props} part="text" label={props.fieldset.name} last={!hasSource} className="text-lg" />
      {hasSource && (
        <TextPart
          {...props}
          part="citation"
          label={t('fields.blocks.source')}
          first={false}
          className="mt-1 text-sm! text-muted"
        />
      )}
    </div>
  )
}

function Code({ block, fieldset, actions, disabled, part }: BlockContentProps & { part: string }) {
  const language = part === 'code' ? fieldset.fields['language'] : undefined

  return (
    <div className="rounded-md bg-sunken">
      <Textarea
        bare
        mono
        aria-label={fieldset.name}
        value={primitiveText(block.content[part])}
        onChange={text => actions.change(block.id, { [part]: text })}
        placeholder={textIn(fieldset.fields[part]?.placeholder) ?? fieldset.name}
        rows={2}
        dir={part === 'code' ? 'ltr' : 'auto'}
        spellCheck={part !== 'code'}
        disabled={disabled}
      />
      {language && (
        <div className="flex justify-end border-t p-1">
          <div className="w-36">
            <Select
              aria-label={t('fields.blocks.language')}
              value={textIn(block.content['language']) ?? null}
              onChange={next => actions.change(block.id, { language: next ?? '' })}
              options={choicesOf(language, primitiveText(block.content['language']))}
              disabled={disabled}
              className="border-transparent! bg-transparent! text-sm"
            />
          </div>
        </div>
      )}
    </div>
  )
}

const maxImages = 12

function Images(props: BlockContentProps) {
  const { block, fieldset } = props
  const address = block.content['location'] === 'web' ? textIn(block.content['src']) : undefined
  const entries: PickerEntry[] =
    address === undefined
      ? entriesIn(block.content['images'] ?? block.content['image'])
      : [{ id: address, text: address, url: address }]
  const isGallery = fieldset.preview === 'gallery'
  const alt = textIn(block.content['alt'])

  return (
    <div>
      {entries.length === 0 ? (
        <Nothing {...props} icon={Image} text={t('fields.blocks.noImage')} />
      ) : (
        <Opening {...props}>
          <span className={isGallery ? 'grid grid-cols-3 gap-2 sm:grid-cols-4' : 'block'}>
            {entries.slice(0, maxImages).map(entry => (
              <img
                key={entry.id}
                // External images are not loaded: the panel sends requests to its own server only.
                src={address === undefined ? (textIn(entry.url) ?? textIn(entry.image?.['url'])) : undefined}
                alt={alt ?? entry.text}
                loading="lazy"
                decoding="async"
                className={cx(
                  'rounded-md bg-sunken',
                  isGallery ? 'aspect-square w-full object-cover' : 'max-h-72 min-h-12 max-w-full object-contain',
                )}
              />
            ))}
          </span>
        </Opening>
      )}
      {entries.length > 0 && <Caption {...props} />}
    </div>
  )
}

/** The caption of an image or video, if its fieldset has one. */
function Caption(props: BlockContentProps) {
  const caption = props.fieldset.fields['caption']
  return caption ? (
    <TextPart {...props} part="caption" label={caption.label ?? ''} className="mt-1.5 text-sm! text-muted" />
  ) : null
}

function Video(props: BlockContentProps) {
  const { block } = props
  const video =
    block.content['location'] === 'kirby' ? entriesIn(block.content['video'])[0]?.text : textIn(block.content['url'])

  return (
    <div>
      {video === undefined ? (
        <Nothing {...props} icon={Film} text={t('fields.blocks.noVideo')} />
      ) : (
        <Opening {...props}>
          <span className="flex items-center gap-3 rounded-md bg-sunken px-3 py-4">
            <Film aria-hidden="true" className="text-muted" />
            <span className="min-w-0 truncate">{video}</span>
          </span>
        </Opening>
      )}
      {video !== undefined && <Caption {...props} />}
    </div>
  )
}

const lines = 3

/** Any other block: its first values as text. */
function Summary(props: BlockContentProps) {
  const { block, fieldset } = props
  const filled = Object.entries(fieldset.fields)
    .map(([name, field]) => ({
      name,
      label: field.label ?? name,
      isLink: field.type === 'link',
      text: valueText(field, block.content[name]),
    }))
    .filter(({ text }) => text !== '')
    .slice(0, lines)

  return (
    <Opening {...props}>
      <span className="block rounded-md border bg-surface px-3 py-2">
        <span className="flex items-center gap-2 font-medium">
          <BlockIcon name={fieldset.icon} />
          {fieldset.label ?? fieldset.name}
        </span>
        {filled.map(({ name, label, isLink, text }) => (
          <span
            key={name}
            className={cx('mt-0.5 block truncate text-sm text-muted', isLink && 'flex items-center gap-1')}
          >
            {label}: {isLink ? <LinkTarget link={text} /> : text}
          </span>
        ))}
        {filled.length === 0 && Object.keys(fieldset.fields).length > 0 && (
          <span className="mt-0.5 block text-sm text-muted">{t('fields.blocks.nothing')}</span>
        )}
      </span>
    </Opening>
  )
}

function BlockIcon({ name }: { name: string | undefined }) {
  const Icon = iconOf(name) ?? iconOf('text')!
  return <Icon aria-hidden="true" className="text-muted" />
}

/** A button around the whole block that opens the drawer. */
function Opening({ block, fieldset, actions, children }: BlockContentProps & { children: ReactNode }) {
  return (
    <button
      type="button"
      data-block-content=""
      onClick={() => actions.edit(block.id)}
      className="block w-full rounded-md text-start"
    >
      <span className="sr-only">
        {fieldset.name}: {t('fields.blocks.edit')}{' '}
      </span>
      {children}
    </button>
  )
}

function Nothing(props: BlockContentProps & { icon: typeof Image; text: string }) {
  const { icon: Icon, text } = props

  return (
    <Opening {...props}>
      <span className="flex items-center gap-3 rounded-md border border-dashed border-line-strong px-3 py-4 text-muted hover:border-edge">
        <Icon aria-hidden="true" />
        {text}
      </span>
    </Opening>
  )
}
