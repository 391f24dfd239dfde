interface List<Item> {
  data: Item[]
  pagination: { limit: number; next?: number | undefined }
}

/** Where a response continues a page of a list that has ended early. */
export interface NextOffset {
  next?: number
}

/**
 * Reads a page of a list: `readWhole(from => client.users.list({ page, limit, ...from }))`. The server ends a page early
 * if it is too large (8 MB); then the rest of the page is read with further requests.
 */
export async function readWholePage<Item, Page extends List<Item>>(
  read: (from: NextOffset) => Promise<Page & List<Item>>,
): Promise<Page> {
  const first = await read({})
  if (first.pagination.next === undefined) return first
  const data = [...first.data]
  let limit = first.pagination.limit
  let next: number | undefined = first.pagination.next
  while (next !== undefined) {
    const rest: Page & List<Item> = await read({ next })
    data.push(...rest.data)
    ;({ next, limit } = rest.pagination)
  }
  // Only a response that has not ended early has the limit of the page.
  return { ...first, data: data.slice(0, limit), pagination: { ...first.pagination, limit, next: undefined } }
}

/** A section: only some types have a list. */
export async function readSection<Section extends object>(
  read: (from: NextOffset) => Promise<Section>,
): Promise<Section> {
  const first = await read({})
  if (!isList(first)) return first
  let isFirst = true
  return readWholePage(async from => {
    const section = isFirst ? first : await read(from)
    isFirst = false
    if (!isList(section)) throw new Error('the blueprint has changed: the section is no longer a list')
    return section
  })
}

const isList = <Section extends object>(section: Section): section is Section & List<unknown> =>
  'data' in section && Array.isArray(section.data) && 'pagination' in section
