import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { cx } from './cx.ts'
import type { Icon } from './icon.ts'
import { Kbd } from './kbd.tsx'

export type MenuItem =
  | {
      text: ReactNode
      onSelect?: (() => void) | undefined
      icon?: Icon | undefined
      info?: ReactNode
      keys?: string | undefined
      danger?: boolean | undefined
      disabled?: boolean | undefined
      checked?: boolean | undefined
      /** For a link: the router's link element, without children. */
      render?: ReactElement<Record<string, unknown>> | undefined
    }
  | 'line'
  | { heading: string }

interface Props {
  /** A Button or IconButton. */
  trigger: ReactElement<Record<string, unknown>>
  items: readonly (MenuItem | false | null | undefined)[]
  align?: 'start' | 'center' | 'end' | undefined
  side?: 'bottom' | 'top' | 'inline-end' | 'inline-start' | undefined
  /** Open when mounted, because the click that loaded the menu should open it. */
  startOpen?: boolean | undefined
}

export function Menu({ trigger, items, align = 'end', side = 'bottom', startOpen = false }: Props) {
  return (
    <Base.Root defaultOpen={startOpen}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className="z-40" sideOffset={4} align={align} side={side} collisionPadding={8}>
          <Base.Popup className="popup max-h-(--available-height) max-w-[min(22rem,calc(100vw-1rem))] min-w-44 overflow-y-auto p-1">
            {items.filter(item => !!item).map((item, index) => renderItem(item, index))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function renderItem(item: MenuItem, index: number) {
  if (item === 'line') return <Base.Separator key={index} className="-mx-1 my-1 h-px bg-line" />

  if ('heading' in item) {
    return (
      <div key={index} className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
        {item.heading}
      </div>
    )
  }

  const { icon: Icon, checked } = item

  return (
    <Base.Item
      key={index}
      onClick={item.onSelect}
      disabled={item.disabled ?? false}
      render={item.render}
      {...(checked !== undefined && { role: 'menuitemradio', 'aria-checked': checked })}
      className={cx('option', item.danger && !item.disabled && 'text-danger data-highlighted:bg-danger-soft')}
    >
      {Icon && <Icon aria-hidden="true" className={cx(!item.danger && 'text-muted')} />}
      <span className="min-w-0 flex-1 wrap-anywhere">
        {item.text}
        {item.info && <span className="block text-sm text-muted">{item.info}</span>}
      </span>
      {checked && <Check aria-hidden="true" className="text-accent" />}
      {item.keys && <Kbd keys={item.keys} />}
    </Base.Item>
  )
}
