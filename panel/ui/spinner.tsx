/** Only for a running action, inside its button. Loading content uses a Skeleton. */
export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-4 shrink-0 animate-spin rounded-full border-2 border-current border-e-transparent motion-reduce:animate-none"
    />
  )
}
