import { Image, List as ListIcon } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../card.tsx'
import { Checkbox } from '../checkbox.tsx'
import { Combobox } from '../combobox.tsx'
import { Field } from '../field.tsx'
import { RadioGroup } from '../radio-group.tsx'
import { RangeInput } from '../range-input.tsx'
import { Select } from '../select.tsx'
import { Switch } from '../switch.tsx'
import { Toggles } from '../toggles.tsx'
import { longText, Row, Stack, towns } from './shared.tsx'

export function Choices() {
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
        <Field label="Radio buttons" group="radiogroup">
          <RadioGroup
            value={one}
            onChange={setOne}
            columns={2}
            options={[
              { value: 'a', text: 'Draft', info: 'Only people who are signed in see it.' },
              { value: 'b', text: 'Public' },
              { value: 'c', text: longText },
              { value: 'd', text: 'Not possible', disabled: true },
            ]}
          />
        </Field>
        <Field label="Toggles" group="radiogroup">
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
          <Checkbox value={off} onChange={setOff} label={longText} info="With a second line that explains." />
          <Checkbox value={off} indeterminate onChange={setOff} label="Some of them" />
          <Checkbox value disabled onChange={setOff} label="Chosen by somebody else" />
        </div>
        <Row>
          <Switch value={on} onChange={setOn} label="Visible" />
          <Switch value={off} onChange={setOff} label="Hidden" />
          <Switch value disabled onChange={setOff} label="Fixed" />
        </Row>
        <Field label="Range">
          <RangeInput value={amount} onChange={setAmount} text={`${amount} %`} />
        </Field>
      </Stack>
    </Card>
  )
}
