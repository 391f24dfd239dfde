import { Search } from 'lucide-react'
import { Input } from './input.tsx'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  /** By default the label. */
  placeholder?: string | undefined
  className?: string | undefined
}

export function SearchInput({ label, placeholder = label, ...input }: Props) {
  return <Input type="search" icon={Search} aria-label={label} placeholder={placeholder} {...input} />
}
