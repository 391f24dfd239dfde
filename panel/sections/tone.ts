const tones = {
  info: 'info',
  notice: 'warn',
  warning: 'warn',
  love: 'danger',
  negative: 'danger',
  error: 'danger',
  positive: 'good',
  passive: 'neutral',
} as const

/** The tone for the name of a theme in a blueprint. */
export function toneOf(theme: unknown): 'neutral' | 'info' | 'good' | 'warn' | 'danger' {
  const name = typeof theme === 'string' ? theme.replace(/-(icon|text)$/, '') : ''
  return Object.hasOwn(tones, name) ? tones[name as keyof typeof tones] : 'neutral'
}
