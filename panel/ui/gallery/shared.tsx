import type { ReactNode } from 'react'

export const longText =
  'A text that somebody wrote without ever looking at how much room there was, and Donaudampfschifffahrtsgesellschaftskapitänsmützen besides'

export const towns = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Évora', 'Ghent', 'Graz', 'Lund', 'Porto', 'Tartu'].map(
  text => ({
    value: text.toLowerCase(),
    text,
  }),
)

export const Stack = ({ children }: { children: ReactNode }) => <div className="flex flex-col gap-5">{children}</div>
export const Row = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3">{children}</div>
)
