/** Keyboard keys, separated by spaces: `⌘ K`. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex shrink-0 gap-0.5" dir="ltr">
      {keys.split(' ').map(key => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-surface px-1 font-sans text-xs text-muted"
        >
          {key}
        </kbd>
      ))}
    </span>
  )
}
