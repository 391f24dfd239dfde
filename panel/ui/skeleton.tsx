import { cx } from './cx.ts'
import { useUiTexts } from './texts.ts'

interface Props {
  /** The shape: height and width as classes. */
  className?: string | undefined
  /** Several lines of text. */
  lines?: number | undefined
}

/** Placeholder for loading content. It appears after 150 ms, so that fast responses do not flicker. */
export function Skeleton({ className = 'h-4 w-full', lines = 1 }: Props) {
  const texts = useUiTexts()

  return (
    <div role="status" className="waiting flex flex-col gap-2.5">
      <span className="sr-only">{texts.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={index}
          aria-hidden="true"
          className={cx('rounded-md bg-line', className, lines > 1 && index === lines - 1 && 'max-w-3/5')}
        />
      ))}
    </div>
  )
}
