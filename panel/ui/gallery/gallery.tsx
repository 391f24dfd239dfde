import { DirectionProvider } from '@base-ui/react/direction-provider'
import { Moon, Sun } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Badge } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Column, Columns } from '../columns.tsx'
import { PageHeader } from '../page-header.tsx'
import { Buttons } from './buttons.tsx'
import { Choices } from './choices.tsx'
import { Colours } from './colours.tsx'
import { Layers } from './layers.tsx'
import { Rows } from './rows.tsx'
import { States } from './states.tsx'
import { Typed } from './typed.tsx'

function theme(name: 'light' | 'dark') {
  document.documentElement.dataset['theme'] = name
}

/** Development page: every component in every state, to be checked in light and dark, narrow and right-to-left. */
export function Gallery() {
  const [rtl, setRtl] = useState(document.documentElement.dir === 'rtl')

  useEffect(() => {
    document.title = 'Components · Quoin'
  }, [])

  function turn() {
    document.documentElement.dir = rtl ? 'ltr' : 'rtl'
    setRtl(!rtl)
  }

  return (
    <DirectionProvider direction={rtl ? 'rtl' : 'ltr'}>
      <div>
        <PageHeader
          title="Components"
          badges={<Badge tone="accent">development</Badge>}
          info="Every part of the panel, in the states it can be in."
          actions={
            <>
              <Button icon={Sun} onClick={() => theme('light')}>
                Light
              </Button>
              <Button icon={Moon} onClick={() => theme('dark')}>
                Dark
              </Button>
              <Button onClick={turn}>{rtl ? 'Left to right' : 'Right to left'}</Button>
            </>
          }
        />
        <div className="flex flex-col gap-6">
          <Colours />
          <Buttons />
          <Columns>
            <Column width="1/2">
              <Typed />
            </Column>
            <Column width="1/2">
              <Choices />
            </Column>
          </Columns>
          <Columns>
            <Column width="1/2">
              <Layers />
            </Column>
            <Column width="1/2">
              <States />
            </Column>
          </Columns>
          <Rows />
        </div>
      </div>
    </DirectionProvider>
  )
}
