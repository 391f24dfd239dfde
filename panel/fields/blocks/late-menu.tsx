import { type ComponentProps, useState } from 'react'
import type { Icon } from '../../ui/icon.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'

interface Props extends Pick<ComponentProps<typeof Menu>, 'align'> {
  label: string
  icon: Icon
  /** Called when the menu opens. */
  items: () => readonly (MenuItem | false | null | undefined)[]
  tabIndex?: number | undefined
  className?: string | undefined
}

/** A menu that is created when it is opened, because a page with many blocks has hundreds of them. */
export function LateMenu({ label, icon, items, tabIndex, className, align }: Props) {
  const [used, setUsed] = useState(false)
  const button = <IconButton size="small" label={label} icon={icon} tabIndex={tabIndex} className={className} />
  if (used) return <Menu startOpen align={align} trigger={button} items={items()} />

  return (
    <IconButton
      size="small"
      label={label}
      icon={icon}
      tabIndex={tabIndex}
      className={className}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setUsed(true)}
    />
  )
}
