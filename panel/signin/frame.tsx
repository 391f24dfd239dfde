import { type ReactNode, useEffect, useRef } from 'react'
import { base } from '../app/base.ts'
import type { System } from '../app/session.ts'
import { setLanguage, t, useLanguage } from '../texts/texts.ts'

interface Props {
  system: System
  title: string
  text?: ReactNode
  children: ReactNode
}

/** A centred card with the title of the site, the form and a language switch. */
export function SignInFrame({ system, title, text, children }: Props) {
  const { code } = useLanguage()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = [title, system.title].filter(Boolean).join(' · ')
    // The focused field of the previous step is gone, so the heading gets the focus.
    if (document.activeElement === document.body) heading.current?.focus()
  }, [title, system.title])

  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-8 sm:justify-center">
      <main className="w-full max-w-sm">
        <p className="mb-5 flex items-center justify-center gap-2.5 text-lg font-semibold">
          <img src={`${base}/panel/icon.svg`} alt="" className="size-6" />
          <span className="min-w-0 truncate">{system.title}</span>
        </p>
        <div className="rounded-lg border bg-surface p-5 sm:p-6">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight">
            {title}
          </h1>
          {text && <p className="mt-1.5 text-muted">{text}</p>}
          <div className="mt-5">{children}</div>
        </div>
      </main>
      {(system.translations?.length ?? 0) > 1 && (
        <footer className="mt-5">
          <select
            aria-label={t('signin.language')}
            className="min-h-8 rounded-md bg-transparent px-2 text-muted hover:bg-hover"
            value={code}
            onChange={event => void setLanguage(event.target.value)}
          >
            {system.translations?.map(({ id, name }) => (
              <option key={id} value={id} className="bg-raised text-ink">
                {name}
              </option>
            ))}
          </select>
        </footer>
      )}
    </div>
  )
}
