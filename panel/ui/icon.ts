import type { ComponentType, SVGProps } from 'react'

/** An icon as lucide-react exports it. Its size comes from the style sheet. */
export type Icon = ComponentType<SVGProps<SVGSVGElement>>
