import { getHTMLFromFragment, getSchema } from '@tiptap/core'
import { DOMParser as SchemaParser } from '@tiptap/pm/model'
import { Selection } from '@tiptap/pm/state'
import type { FieldDefinition } from '../field.ts'
import { extensionsFor, featuresOf } from './marks.ts'
import { unwrapParagraph } from './surrounding-html.ts'

/** Reduces HTML to the marks and nodes that the field offers. */
export function conform(html: string, field: FieldDefinition): string {
  const offer = featuresOf(field)
  const schema = getSchema(extensionsFor(offer, ''))
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const { content } = SchemaParser.fromSchema(schema).parse(body)
  const conformed = getHTMLFromFragment(content, schema)
  return offer.inline ? unwrapParagraph(conformed) : conformed
}

/** The position of the caret at the end of a text. */
export function endOf(html: string, field: FieldDefinition): number {
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  return Selection.atEnd(SchemaParser.fromSchema(getSchema(extensionsFor(featuresOf(field), html))).parse(body)).head
}
