import { DirectionProvider } from '@base-ui/react/direction-provider'
import {
  Copy,
  FileText,
  Folder,
  Heading,
  Home,
  Image,
  Link,
  List as ListIcon,
  Moon,
  MoreHorizontal,
  Plus,
  Search,
  Sun,
  Trash2,
  Users,
} from 'lucide-react'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Avatar } from './avatar.tsx'
import { Badge } from './badge.tsx'
import { Breadcrumb } from './breadcrumb.tsx'
import { Button } from './button.tsx'
import { Card } from './card.tsx'
import { Checkbox } from './checkbox.tsx'
import { ColorInput } from './color-input.tsx'
import { Column, Columns } from './columns.tsx'
import { Combobox } from './combobox.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { DateInput } from './date-input.tsx'
import { Dialog } from './dialog.tsx'
import { Drawer } from './drawer.tsx'
import { EmptyState } from './empty-state.tsx'
import { Field } from './field.tsx'
import { IconButton } from './icon-button.tsx'
import { Input } from './input.tsx'
import { Kbd } from './kbd.tsx'
import { ListItem } from './list-item.tsx'
import { List } from './list.tsx'
import { Menu } from './menu.tsx'
import { Notice } from './notice.tsx'
import { PageHeader } from './page-header.tsx'
import { PasswordInput } from './password-input.tsx'
import { Popover } from './popover.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { RadioGroup } from './radio-group.tsx'
import { RangeInput } from './range-input.tsx'
import { Select } from './select.tsx'
import { Skeleton } from './skeleton.tsx'
import { Sortable } from './sortable.tsx'
import { StatusDot } from './status-dot.tsx'
import { Switch } from './switch.tsx'
import { Table } from './table.tsx'
import { Tabs } from './tabs.tsx'
import { TagInput } from './tag-input.tsx'
import { Textarea } from './textarea.tsx'
import { TimeInput } from './time-input.tsx'
import { toast } from './toast.ts'
import { Toggles } from './toggles.tsx'
import { Tooltip } from './tooltip.tsx'
import { Tree } from './tree.tsx'
import type { TreeNode } from './tree.tsx'

const long =
  'A text that somebody wrote without ever looking at how much room there was, and Donaudampfschifffahrtsgesellschaftskapitänsmützen besides'

const towns = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Évora', 'Ghent', 'Graz', 'Lund', 'Porto', 'Tartu'].map(text => ({
  value: text.toLowerCase(),
  text,
}))

function theme(name: 'light' | 'dark') {
  document.documentElement.dataset['theme'] = name
}

/** The development page: every component in its states, to be looked at in light and dark, narrow and right to left. */
export function Gallery() {
  const [rtl, setRtl] = useState(document.documentElement.dir === 'rtl')

  function turn() {
    document.documentElement.dir = rtl ? 'ltr' : 'rtl'
    setRtl(!rtl)
  }

  return (
    <DirectionProvider direction={rtl ? 'rtl' : 'ltr'}>
      <div>
        <PageHeader
          title="Components"
          beside={<Badge tone="accent">development</Badge>}
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

function Colours() {
  const grounds = ['canvas', 'surface', 'sunken', 'line', 'line-strong', 'edge', 'ink', 'muted', 'faint']
  const tones = [
    'accent',
    'accent-soft',
    'danger',
    'danger-soft',
    'warn',
    'warn-soft',
    'good',
    'good-soft',
    'info',
    'info-soft',
  ]

  return (
    <Card title="Colours">
      <div className="flex flex-wrap gap-3">
        {[...grounds, ...tones].map(name => (
          <div key={name} className="w-20 text-xs text-muted">
            <div className="mb-1 h-9 rounded-md border border-line-strong" style={{ background: `var(--${name})` }} />
            {name}
          </div>
        ))}
      </div>
    </Card>
  )
}

function Buttons() {
  return (
    <Card title="Buttons" actions={<IconButton label="More" icon={MoreHorizontal} />}>
      <Rowed>
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
      </Rowed>
      <div className="mt-4 w-60">
        <Button variant="primary">{long}</Button>
      </div>
    </Card>
  )
}

function Typed() {
  const [text, setText] = useState('')
  const [words, setWords] = useState('One line\nand another')
  const [tags, setTags] = useState(['architecture', 'stone', long])
  const [colour, setColour] = useState('#0e5f63')
  const [date, setDate] = useState('2026-11-15')
  const [time, setTime] = useState('14:30')

  return (
    <Card title="To type in">
      <Stack>
        <Field label="Title" required help="Shown at the top of the page." counter={{ count: text.length, most: 40 }}>
          <Input value={text} onChange={setText} placeholder="A short title" />
        </Field>
        <Field label="Address" error="This is not a web address.">
          <Input value="not an address" onChange={setText} icon={Link} type="url" />
        </Field>
        <Field label="Price">
          <Input value="12.50" onChange={setText} before="€" after="per month" inputMode="decimal" />
        </Field>
        <Field label="Cannot be changed" disabled help={long}>
          <Input value={long} onChange={setText} />
        </Field>
        <Field label="Password">
          <PasswordInput value="correct horse" onChange={setText} />
        </Field>
        <Field label={long} required error={['It is too short.', 'It must contain a number.']}>
          <Textarea value={words} onChange={setWords} />
        </Field>
        <Field label="Tags">
          <TagInput value={tags} onChange={setTags} suggestions={towns} />
        </Field>
        <Columns>
          <Column width="1/4">
            <Field label="Date">
              <DateInput value={date} onChange={setDate} />
            </Field>
          </Column>
          <Column width="1/4">
            <Field label="Time">
              <TimeInput value={time} onChange={setTime} />
            </Field>
          </Column>
        </Columns>
        <Field label="Colour">
          <ColorInput
            value={colour}
            onChange={setColour}
            options={[
              { value: '#0e5f63', text: 'Sea' },
              { value: '#b3261e', text: 'Brick' },
              { value: '#e6b36080', text: 'Sand' },
            ]}
          />
        </Field>
      </Stack>
    </Card>
  )
}

function Choices() {
  const [town, setTown] = useState<string | null>('delft')
  const [many, setMany] = useState<string[]>(['cork', 'lund', 'porto'])
  const [one, setOne] = useState<string | null>('b')
  const [level, setLevel] = useState<string | null>('h2')
  const [on, setOn] = useState(true)
  const [off, setOff] = useState(false)
  const [amount, setAmount] = useState(40)

  return (
    <Card title="To choose from">
      <Stack>
        <Field label="Select">
          <Select value={town} onChange={setTown} options={towns} empty />
        </Field>
        <Field label="Select, nothing chosen" error="Please choose a town.">
          <Select value={null} onChange={setTown} options={towns} placeholder="Choose a town" />
        </Field>
        <Field label="Combobox" help="Type to find.">
          <Combobox value={town} onChange={setTown} options={towns} placeholder="A town" />
        </Field>
        <Field label="Combobox, several">
          <Combobox multiple value={many} onChange={setMany} options={towns} />
        </Field>
        <Field label="Radio buttons" group>
          <RadioGroup
            value={one}
            onChange={setOne}
            columns={2}
            options={[
              { value: 'a', text: 'Draft', info: 'Only people who are signed in see it.' },
              { value: 'b', text: 'Public' },
              { value: 'c', text: long },
              { value: 'd', text: 'Not possible', disabled: true },
            ]}
          />
        </Field>
        <Field label="Toggles" group>
          <Toggles
            value={level}
            onChange={setLevel}
            reset
            options={['h1', 'h2', 'h3', 'h4'].map(value => ({ value, text: value.toUpperCase() }))}
          />
        </Field>
        <Toggles
          aria-label="View"
          value={level === 'h2' ? 'list' : 'cards'}
          onChange={() => setLevel(level === 'h2' ? 'h3' : 'h2')}
          labels={false}
          grow={false}
          options={[
            { value: 'list', text: 'List', icon: ListIcon },
            { value: 'cards', text: 'Cards', icon: Image },
          ]}
        />
        <div className="flex flex-col items-start gap-1.5">
          <Checkbox value={on} onChange={setOn} label="Keep me signed in" />
          <Checkbox value={off} onChange={setOff} label={long} info="With a second line that explains." />
          <Checkbox value={off} mixed onChange={setOff} label="Some of them" />
          <Checkbox value disabled onChange={setOff} label="Chosen by somebody else" />
        </div>
        <Rowed>
          <Switch value={on} onChange={setOn} label="Visible" />
          <Switch value={off} onChange={setOff} label="Hidden" />
          <Switch value disabled onChange={setOff} label="Fixed" />
        </Rowed>
        <Field label="Range">
          <RangeInput value={amount} onChange={setAmount} text={`${amount} %`} />
        </Field>
      </Stack>
    </Card>
  )
}

function Layers() {
  const [open, setOpen] = useState<'dialog' | 'confirm' | 'drawer'>()
  const [text, setText] = useState('')
  const [tab, setTab] = useState('content')
  const close = () => setOpen(undefined)

  return (
    <Card title="Layers">
      <Stack>
        <Rowed>
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
            <p className="mb-3 text-muted">{long}</p>
            <Button size="small">Change</Button>
          </Popover>
          <Tooltip text={long}>
            <Button>Tooltip</Button>
          </Tooltip>
          <Button onClick={() => toast({ title: 'Saved', tone: 'good' })}>Toast</Button>
          <Button
            onClick={() =>
              toast({
                title: 'It could not be saved',
                text: long,
                tone: 'danger',
                action: { text: 'Retry', onSelect: close },
              })
            }
          >
            Toast, trouble
          </Button>
        </Rowed>
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
            { text: long },
          ]}
        />
        <Notice tone="info">This page has changes that are not public yet.</Notice>
        <Notice tone="warn" title="Somebody else saved this page" action={<Button size="small">Compare</Button>}>
          {long}
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
        title={long}
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

function States() {
  return (
    <Card title="States">
      <Stack>
        <Rowed>
          <Badge>neutral</Badge>
          <Badge tone="accent">accent</Badge>
          <Badge tone="good">good</Badge>
          <Badge tone="warn">warn</Badge>
          <Badge tone="danger">danger</Badge>
          <Badge tone="info">info</Badge>
        </Rowed>
        <Rowed>
          <StatusDot tone="good" label="Public" shown />
          <StatusDot tone="info" label="Unlisted" shown />
          <StatusDot tone="danger" label="Draft" shown />
          <StatusDot tone="warn" label="Changed" shown />
          <StatusDot tone="neutral" label="Unknown" shown />
        </Rowed>
        <Rowed>
          <Avatar name="Ada Lovelace" />
          <Avatar name="b" size="small" />
          <Avatar name="grace.hopper@example.org" />
          <Avatar name="عمر خيام" size="large" />
        </Rowed>
        <ProgressBar value={0.6} label="Upload" />
        <ProgressBar label="Working" />
        <Skeleton lines={3} />
        <div className="rounded-md border">
          <EmptyState
            icon={Image}
            text="No pictures yet. Drop some here, or choose them."
            action={<Button>Choose</Button>}
          />
        </div>
        <div className="rounded-md border">
          <EmptyState icon={Users} tone="danger" small text={long} action={<Button size="small">Try again</Button>} />
        </div>
      </Stack>
    </Card>
  )
}

const people = [
  { id: '1', name: 'Ada Lovelace', role: 'Administrator', seen: '2 minutes ago' },
  { id: '2', name: 'Grace Hopper', role: 'Editor', seen: 'yesterday' },
  { id: '3', name: long, role: 'Editor', seen: 'never' },
]

const branch = (id: string, text: string, count: number): TreeNode => ({
  id,
  text,
  icon: Folder,
  hasChildren: count > 0,
  children: Array.from({ length: count }, (_, at) => ({
    id: `${id}-${at}`,
    text: `${text} ${at + 1}`,
    icon: FileText,
    hasChildren: at === 0,
    after: <StatusDot tone={at % 2 ? 'good' : 'danger'} label={at % 2 ? 'Public' : 'Draft'} />,
  })),
})

function Rows() {
  const [order, setOrder] = useState(['Heading', 'Text', 'Gallery', long])
  const [chosen, setChosen] = useState(new Set(['2']))
  const [opened, setOpened] = useState(new Set(['a', 'a-0']))
  const [page, setPage] = useState('a-1')
  const [sort, setSort] = useState({ name: 'name', down: false })

  function toggle(id: string, open: boolean) {
    const next = new Set(opened)
    if (open) next.add(id)
    else next.delete(id)
    setOpened(next)
  }

  return (
    <>
      <Card title="Table" flush>
        <Table
          label="People"
          rows={people}
          keyOf={person => person.id}
          nameOf={person => person.name}
          selected={chosen}
          onSelect={setChosen}
          sort={sort}
          onSort={setSort}
          onOpen={() => {}}
          columns={[
            { name: 'name', label: 'Name', cell: person => person.name, sortable: true },
            { name: 'role', label: 'Role', cell: person => <Badge>{person.role}</Badge>, width: 'w-40' },
            { name: 'seen', label: 'Last seen', cell: person => person.seen, width: 'w-36', wide: true, align: 'end' },
          ]}
        />
      </Card>
      <Columns>
        <Column width="1/3">
          <Card title="Sortable" flush>
            <Sortable items={order} keyOf={name => name} nameOf={name => name} onChange={setOrder} className="divide-y">
              {(name, { handle }) => <ListItem title={name} icon={FileText} before={handle} info="Use the handle" />}
            </Sortable>
          </Card>
        </Column>
        <Column width="1/3">
          <Card title="Tree">
            <Tree
              label="Pages"
              nodes={[branch('a', 'Exhibitions', 5), branch('b', 'Visit', 3), branch('c', long, 0)]}
              open={opened}
              onOpen={toggle}
              selected={page}
              onSelect={node => setPage(node.id)}
              onMove={() => {}}
              className="h-72"
            />
          </Card>
        </Column>
        <Column width="1/3">
          <Card title="List of 10,000" flush>
            <List
              label="Numbers"
              items={Array.from({ length: 10_000 }, (_, at) => `Page ${at + 1}`)}
              keyOf={name => name}
              className="h-80"
            >
              {name => (
                <ListItem
                  title={name}
                  info="page/address"
                  icon={FileText}
                  onSelect={() => {}}
                  after={<Badge tone="good">public</Badge>}
                />
              )}
            </List>
          </Card>
        </Column>
      </Columns>
    </>
  )
}

const Stack = ({ children }: { children: ReactNode }) => <div className="flex flex-col gap-5">{children}</div>
const Rowed = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap items-center gap-3">{children}</div>
)
