import { Card } from '../card.tsx'

export function Colours() {
  const grounds = ['canvas', 'surface', 'sunken', 'line', 'line-strong', 'edge', 'ink', 'muted', 'faint']
  const tones = [
    'accent',
    'accent-soft',
    'danger',
    'danger-soft',
    'warn',
    'warn-soft',
    'good',
    'good-soft',
    'info',
    'info-soft',
  ]

  return (
    <Card title="Colours">
      <div className="flex flex-wrap gap-3">
        {[...grounds, ...tones].map(name => (
          <div key={name} className="w-20 text-xs text-muted">
            <div className="mb-1 h-9 rounded-md border border-line-strong" style={{ background: `var(--${name})` }} />
            {name}
          </div>
        ))}
      </div>
    </Card>
  )
}
