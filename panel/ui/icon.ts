import type { ComponentType, SVGProps } from 'react'

/** An icon like those of lucide-react. Its size comes from the style sheet. */
export type Icon = ComponentType<SVGProps<SVGSVGElement>>
