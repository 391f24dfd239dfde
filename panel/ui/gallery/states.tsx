import { Image, Users } from 'lucide-react'
import { Avatar } from '../avatar.tsx'
import { Badge } from '../badge.tsx'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { EmptyState } from '../empty-state.tsx'
import { ProgressBar } from '../progress-bar.tsx'
import { Skeleton } from '../skeleton.tsx'
import { StatusDot } from '../status-dot.tsx'
import { longText, Row, Stack } from './shared.tsx'

export function States() {
  return (
    <Card title="States">
      <Stack>
        <Row>
          <Badge>neutral</Badge>
          <Badge tone="accent">accent</Badge>
          <Badge tone="good">good</Badge>
          <Badge tone="warn">warn</Badge>
          <Badge tone="danger">danger</Badge>
          <Badge tone="info">info</Badge>
        </Row>
        <Row>
          <StatusDot tone="good" label="Public" isLabelShown />
          <StatusDot tone="info" label="Unlisted" isLabelShown />
          <StatusDot tone="danger" label="Draft" isLabelShown />
          <StatusDot tone="warn" label="Changed" isLabelShown />
          <StatusDot tone="neutral" label="Unknown" isLabelShown />
        </Row>
        <Row>
          <Avatar name="Ada Lovelace" />
          <Avatar name="b" size="small" />
          <Avatar name="grace.hopper@example.org" />
          <Avatar name="عمر خيام" size="large" />
        </Row>
        <ProgressBar value={0.6} label="Upload" />
        <ProgressBar label="Working" />
        <Skeleton lines={3} />
        <div className="rounded-md border">
          <EmptyState
            icon={Image}
            text="No images yet. Drop some here, or choose them."
            action={<Button>Choose</Button>}
          />
        </div>
        <div className="rounded-md border">
          <EmptyState
            icon={Users}
            tone="danger"
            small
            text={longText}
            action={<Button size="small">Try again</Button>}
          />
        </div>
      </Stack>
    </Card>
  )
}
