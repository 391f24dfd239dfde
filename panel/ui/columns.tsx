import type { HTMLAttributes, ReactNode } from 'react'
import { cx } from './cx.ts'

/** Column spans of a grid with twelve columns: `1/1`, `1/2`, `2/3` … Any other width is the full width. */
const spans: Record<string, string> = {
  '1/2': '@2xl:col-span-6',
  '2/4': '@2xl:col-span-6',
  '3/6': '@2xl:col-span-6',
  '6/12': '@2xl:col-span-6',
  '1/3': '@2xl:col-span-4',
  '2/6': '@2xl:col-span-4',
  '4/12': '@2xl:col-span-4',
  '2/3': '@2xl:col-span-8',
  '4/6': '@2xl:col-span-8',
  '8/12': '@2xl:col-span-8',
  '1/4': '@md:col-span-6 @2xl:col-span-3',
  '3/12': '@md:col-span-6 @2xl:col-span-3',
  '3/4': '@2xl:col-span-9',
  '9/12': '@2xl:col-span-9',
  '1/6': '@md:col-span-4 @2xl:col-span-2',
  '2/12': '@md:col-span-4 @2xl:col-span-2',
  '5/6': '@2xl:col-span-10',
  '10/12': '@2xl:col-span-10',
  '1/12': '@2xl:col-span-1',
  '5/12': '@2xl:col-span-5',
  '7/12': '@2xl:col-span-7',
  '11/12': '@2xl:col-span-11',
}

const gaps = { normal: 'gap-x-4 gap-y-5', wide: 'gap-x-2 gap-y-8 @2xl:gap-x-10', row: 'gap-2' }

/** A grid with twelve columns that collapses to one in a narrow container (not window). */
export function Columns({
  children,
  gap = 'normal',
}: {
  children: ReactNode
  gap?: 'normal' | 'wide' | 'row' | undefined
}) {
  return (
    <div className="@container">
      <div className={cx('grid grid-cols-12', gaps[gap])}>{children}</div>
    </div>
  )
}

interface ColumnProps extends HTMLAttributes<HTMLDivElement> {
  width?: string | undefined
}

export function Column({ width = '1/1', ...rest }: ColumnProps) {
  return <div className={cx('col-span-12 min-w-0', spans[width])} {...rest} />
}
