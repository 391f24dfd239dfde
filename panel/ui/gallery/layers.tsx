import { Copy, FileText, Folder, Home, Search, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../badge.tsx'
import { Breadcrumb } from '../breadcrumb.tsx'
import { Button } from '../button.tsx'
import { Card } from '../card.tsx'
import { ConfirmDialog } from '../confirm-dialog.tsx'
import { Dialog } from '../dialog.tsx'
import { Drawer } from '../drawer.tsx'
import { Field } from '../field.tsx'
import { Input } from '../input.tsx'
import { Menu } from '../menu.tsx'
import { Notice } from '../notice.tsx'
import { Popover } from '../popover.tsx'
import { Select } from '../select.tsx'
import { Tabs } from '../tabs.tsx'
import { Textarea } from '../textarea.tsx'
import { toast } from '../toast.ts'
import { Tooltip } from '../tooltip.tsx'
import { longText, Row, Stack, towns } from './shared.tsx'

export function Layers() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'drawer'>()
  const [text, setText] = useState('')
  const [tab, setTab] = useState('content')
  const close = () => setOpen(undefined)

  return (
    <Card title="Layers">
      <Stack>
        <Row>
          <Button onClick={() => setOpen('dialog')}>Dialog</Button>
          <Button onClick={() => setOpen('confirm')}>Confirm</Button>
          <Button onClick={() => setOpen('drawer')}>Drawer</Button>
          <Menu
            trigger={<Button>Menu</Button>}
            align="start"
            items={[
              { heading: 'This page' },
              { text: 'Open', icon: FileText, keys: '⌘ O' },
              { text: 'Duplicate', icon: Copy, info: 'With everything below it' },
              { text: 'Cards', checked: true },
              { text: 'Move', icon: Folder, disabled: true },
              'line',
              { text: 'Delete', icon: Trash2, danger: true },
            ]}
          />
          <Popover trigger={<Button>Popover</Button>} title="Status">
            <p className="mb-3 text-muted">{longText}</p>
            <Button size="small">Change</Button>
          </Popover>
          <Tooltip text={longText}>
            <Button>Tooltip</Button>
          </Tooltip>
          <Button onClick={() => toast({ title: 'Saved', tone: 'good' })}>Toast</Button>
          <Button
            onClick={() =>
              toast({
                title: 'It could not be saved',
                text: longText,
                tone: 'danger',
                action: { text: 'Retry', onSelect: close },
              })
            }
          >
            Toast, trouble
          </Button>
        </Row>
        <Tabs
          value={tab}
          onChange={setTab}
          label="Tabs"
          tabs={[
            { value: 'content', text: 'Content' },
            { value: 'files', text: 'Files', badge: <Badge>12</Badge> },
            { value: 'seo', text: 'Search engines', icon: Search },
          ]}
        >
          <p className="text-muted">The contents of {tab}.</p>
        </Tabs>
        <Breadcrumb
          crumbs={[
            { text: 'Site', icon: Home, render: <a href="#top" /> },
            { text: 'Exhibitions', render: <a href="#top" /> },
            { text: longText },
          ]}
        />
        <Notice tone="info">This page has changes that are not public yet.</Notice>
        <Notice tone="warn" title="Somebody else saved this page" action={<Button size="small">Compare</Button>}>
          {longText}
        </Notice>
        <Notice tone="danger">It could not be saved.</Notice>
        <Notice tone="good">Everything is up to date.</Notice>
        <Notice>A neutral remark.</Notice>
      </Stack>
      <Dialog
        open={open === 'dialog'}
        onClose={close}
        title="Add a page"
        description="It begins as a draft."
        onSubmit={close}
        footer={
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit">
              Add page
            </Button>
          </>
        }
      >
        <Stack>
          <Field label="Title" required>
            <Input value={text} onChange={setText} />
          </Field>
          <Field label="Template">
            <Select value="delft" onChange={close} options={towns} />
          </Field>
        </Stack>
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        onClose={close}
        onConfirm={close}
        danger
        title="Delete “Exhibitions”?"
        confirm="Delete"
      >
        <p>The page, 12 pages below it and 40 files are deleted. This cannot be taken back.</p>
      </ConfirmDialog>
      <Drawer
        open={open === 'drawer'}
        onClose={close}
        title={longText}
        footer={
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        }
      >
        <Field label="Caption">
          <Textarea value={text} onChange={setText} />
        </Field>
      </Drawer>
    </Card>
  )
}
