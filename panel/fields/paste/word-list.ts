import type { PastedItem, PastedList, Run } from './pasted.ts'

export interface WordItem {
  level: number
  ordered: boolean
  runs: Run[]
}

/** Word writes list items as paragraphs with a level and the drawn marker: `mso-list: l0 level1 lfo1`. */
export function wordListItem(element: Element, style: string): Pick<WordItem, 'level' | 'ordered'> | undefined {
  const level = /mso-list:\s*l\d+\s+level(\d+)/i.exec(style)?.[1]
  if (level === undefined) return undefined
  const marker = [...element.querySelectorAll('[data-style]')].find(one =>
    /mso-list:\s*ignore/i.test(one.getAttribute('data-style')!),
  )
  const ordered = /^[\s\u00A0(]*(?:\d+(?:\.\d+)*|[a-z]{1,5})[.)]/i.test(marker?.textContent ?? '')
  return { level: Number(level), ordered }
}

/** Items that follow each other as lists inside of lists. */
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
