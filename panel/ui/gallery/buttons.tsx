import { Copy, Heading, MoreHorizontal, Plus, Search, Trash2 } from 'lucide-react'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { IconButton } from '../icon-button.tsx'
import { Kbd } from '../kbd.tsx'
import { longText, Row } from './shared.tsx'

export function Buttons() {
  return (
    <Card title="Buttons" actions={<IconButton label="More" icon={MoreHorizontal} />}>
      <Row>
        <Button variant="primary" icon={Plus}>
          Add page
        </Button>
        <Button>Quiet</Button>
        <Button variant="plain">Plain</Button>
        <Button variant="danger" icon={Trash2}>
          Delete
        </Button>
        <Button variant="primary" busy>
          Saving
        </Button>
        <Button disabled>Disabled</Button>
        <Button variant="primary" disabled>
          Disabled
        </Button>
        <Button size="small" icon={Copy}>
          Small
        </Button>
        <Button size="large" variant="primary">
          Large
        </Button>
        <IconButton label="Search" icon={Search} />
        <IconButton label="Search" icon={Search} variant="quiet" />
        <IconButton label="Bold" icon={Heading} aria-pressed />
        <IconButton label="Disabled" icon={Trash2} disabled />
        <IconButton label="Busy" icon={Trash2} busy />
        <Kbd keys="⌘ K" />
      </Row>
      <div className="mt-4 w-60">
        <Button variant="primary">{longText}</Button>
      </div>
    </Card>
  )
}
