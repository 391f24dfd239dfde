import { FileText, Folder } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../badge.tsx'
import { Card } from '../card.tsx'
import { Column, Columns } from '../columns.tsx'
import { ListItem } from '../list-item.tsx'
import { List } from '../list.tsx'
import { Sortable } from '../sortable.tsx'
import { StatusDot } from '../status-dot.tsx'
import { Table } from '../table.tsx'
import type { TreeNode } from '../tree-rows.ts'
import { Tree } from '../tree.tsx'
import { longText } from './shared.tsx'

const people = [
  { id: '1', name: 'Ada Lovelace', role: 'Administrator', seen: '2 minutes ago' },
  { id: '2', name: 'Grace Hopper', role: 'Editor', seen: 'yesterday' },
  { id: '3', name: longText, role: 'Editor', seen: 'never' },
]

const branch = (id: string, text: string, count: number): TreeNode => ({
  id,
  text,
  icon: Folder,
  hasChildren: count > 0,
  children: Array.from({ length: count }, (_, index) => ({
    id: `${id}-${index}`,
    text: `${text} ${index + 1}`,
    icon: FileText,
    hasChildren: index === 0,
    after: <StatusDot tone={index % 2 ? 'good' : 'danger'} label={index % 2 ? 'Public' : 'Draft'} />,
  })),
})

export function Rows() {
  const [order, setOrder] = useState(['Heading', 'Text', 'Gallery', longText])
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
              nodes={[branch('a', 'Exhibitions', 5), branch('b', 'Visit', 3), branch('c', longText, 0)]}
              open={opened}
              onOpen={toggle}
              selected={page}
              onSelect={node => setPage(node.id)}
              onMove={async id => id}
              className="h-72"
            />
          </Card>
        </Column>
        <Column width="1/3">
          <Card title="List of 10,000" flush>
            <List
              label="Numbers"
              items={Array.from({ length: 10_000 }, (_, index) => `Page ${index + 1}`)}
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
