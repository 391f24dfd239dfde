import { Puzzle } from 'lucide-react'
import type { SVGProps } from 'react'
import { iconOf } from '../app/icons.ts'

export default function NamedIcon({ icon, ...props }: SVGProps<SVGSVGElement> & { icon: string | undefined }) {
  const Found = iconOf(icon) ?? Puzzle
  return <Found {...props} />
}
