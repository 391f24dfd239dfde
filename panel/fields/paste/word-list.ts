import type { PastedItem, PastedList, TextRun } from './pasted.ts'

export interface WordItem {
  level: number
  ordered: boolean
  runs: TextRun[]
}

/** Whether a list is numbered, by list and level: `l0:level1`. */
export type ListRules = ReadonlyMap<string, boolean>

/** Word defines the number format of each list level in its style sheet. A level without a format is numbered. */
export function listRules(sheets: string): ListRules {
  const rules = sheets.matchAll(/@list\s+(l\d+:level\d+)\s*\{([^}]*)\}/g)
  return new Map(
    [...rules].map(([, name, rule]) => [name!, !/mso-level-number-format:\s*(?:bullet|image)/i.test(rule!)]),
  )
}

/**
 * Word puts the marker of a list item between conditional comments, for programs without support for lists. If another
 * program has removed `mso-list: Ignore`, only these comments tell the marker from the text.
 */
export const revealConditional = (html: string): string =>
  html
    .replaceAll(
      /<!(?:--)?\[if !supportLists\](?:--)?>([\s\S]*?)<!(?:--)?\[endif\](?:--)?>/gi,
      '<span style="mso-list:Ignore">$1</span>',
    )
    .replaceAll(/<!(?:--)?\[if !supportAnnotations\](?:--)?>[\s\S]*?<!(?:--)?\[endif\](?:--)?>/gi, '')

/** Word writes list items as paragraphs with a level and a visible marker: `mso-list: l0 level1 lfo1`. */
export function wordListItem(
  element: Element,
  style: string,
  rules: ListRules,
): Pick<WordItem, 'level' | 'ordered'> | undefined {
  const [, list, level] = /mso-list:\s*(l\d+)\s+level(\d+)/i.exec(style) ?? []
  if (level === undefined) return undefined
  const marker = [...element.querySelectorAll('[data-style]')].find(styled =>
    /mso-list:\s*ignore/i.test(styled.getAttribute('data-style')!),
  )
  const isNumber = /^[\s\u00A0(]*(?:\d+(?:\.\d+)*|[a-z]{1,5})[.)]/i.test(marker?.textContent ?? '')
  return { level: Number(level), ordered: rules.get(`${list}:level${level}`) ?? isNumber }
}

/** Turns consecutive items into nested lists. */
export function nestItems(items: readonly WordItem[]): PastedList[] {
  const top: PastedList[] = []
  const open: { level: number; list: PastedList }[] = []
  for (const { level, ordered, runs } of items) {
    while (open.length > 0 && open.at(-1)!.level > level) open.pop()
    const same = open.at(-1)?.level === level ? open.at(-1) : undefined
    const item: PastedItem = { runs, lists: [] }
    if (same && same.list.ordered === ordered) {
      same.list.items.push(item)
      continue
    }
    if (same) open.pop()
    const list: PastedList = { kind: 'list', ordered, items: [item] }
    const above = open.at(-1)?.list.items.at(-1)
    ;(above ? above.lists : top).push(list)
    open.push({ level, list })
  }
  return top
}
