import type { ReactNode } from 'react'
import { useContentLanguage } from '../app/language.ts'
import type { BlockContentProps } from '../fields/blocks/block-actions.ts'
import { useLanguage } from '../texts/texts.ts'
import { Part } from './part.tsx'
import type { PanelPart } from './parts.ts'

interface Props extends BlockContentProps {
  part: PanelPart
  /** The button around the block that opens its form. */
  frame: (preview: ReactNode) => ReactNode
  /** Shown if the preview fails. */
  fallback: ReactNode
}

/** The preview of a block by an extension. */
export function BlockPart({ part, block, fieldset, disabled, frame, fallback }: Props) {
  const { code: interfaceLanguage } = useLanguage()
  const { code = interfaceLanguage } = useContentLanguage()
  const { type, name, fields } = fieldset
  const properties = { field: { type, name, fields }, value: block.content, disabled, errors: [], language: code }
  return <Part part={part} properties={properties} frame={frame} fallback={fallback} />
}
