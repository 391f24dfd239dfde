import { session } from '../app/session.ts'

export interface Recent {
  link: string
  title: string
  kind: 'page'
}

const most = 8

/** On this device, for this person. */
function place(): string | undefined {
  const state = session.get()
  return state.status === 'in' ? `quoin.recent.${state.user.id}` : undefined
}

export function recent(): Recent[] {
  const name = place()
  try {
    const kept: unknown = JSON.parse((name && localStorage.getItem(name)) || '[]')
    return Array.isArray(kept) ? kept.filter(isRecent).slice(0, most) : []
  } catch {
    return []
  }
}

const isRecent = (value: unknown): value is Recent =>
  typeof value === 'object' &&
  value !== null &&
  'link' in value &&
  'title' in value &&
  typeof value.link === 'string' &&
  typeof value.title === 'string'

export function remember(one: Recent): void {
  const name = place()
  if (!name) return
  try {
    localStorage.setItem(
      name,
      JSON.stringify([one, ...recent().filter(({ link }) => link !== one.link)].slice(0, most)),
    )
  } catch {
    // A browser that keeps nothing: then nothing is recent.
  }
}
