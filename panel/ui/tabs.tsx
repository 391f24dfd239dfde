import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'

export interface Tab<Value extends string = string> {
  value: Value
  text: string
  icon?: Icon | undefined
  /** A number or mark beside the text: changes, errors. */
  badge?: ReactNode
}

interface Props<Value extends string> {
  value: Value
  onChange: (value: Value) => void
  tabs: readonly Tab<Value>[]
  /** The contents of the open tab. */
  children?: ReactNode
  label?: string | undefined
  /** No space around the contents, which fill the height that is left: for lists in dialogs. */
  flush?: boolean | undefined
}

export function Tabs<Value extends string>({ value, onChange, tabs, children, label, flush }: Props<Value>) {
  return (
    <Base.Root
      value={value}
      onValueChange={(next: Value) => onChange(next)}
      className={flush ? 'flex min-h-0 flex-1 flex-col' : undefined}
    >
      <Base.List
        aria-label={label}
        className={cx('relative flex shrink-0 gap-1 overflow-x-auto border-b [scrollbar-width:none]', flush && 'px-2')}
      >
        {tabs.map(({ icon: Icon, ...tab }) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="relative flex min-h-9 shrink-0 items-center gap-2 rounded-t-md px-3 text-muted transition-colors -outline-offset-2 hover:text-ink data-active:font-medium data-active:text-ink"
          >
            {Icon && <Icon aria-hidden="true" />}
            {tab.text}
            {tab.badge}
          </Base.Tab>
        ))}
        <Base.Indicator className="absolute bottom-0 left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width]" />
      </Base.List>
      <Base.Panel
        value={value}
        className={flush ? 'flex min-h-0 flex-1 flex-col -outline-offset-2' : 'pt-5 outline-offset-4'}
        tabIndex={-1}
      >
        {children}
      </Base.Panel>
    </Base.Root>
  )
}
