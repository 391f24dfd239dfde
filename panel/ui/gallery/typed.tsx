import { Link } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../card.tsx'
import { ColorInput } from '../color-input.tsx'
import { Column, Columns } from '../columns.tsx'
import { DateInput } from '../date-input.tsx'
import { Field } from '../field.tsx'
import { Input } from '../input.tsx'
import { PasswordInput } from '../password-input.tsx'
import { TagInput } from '../tag-input.tsx'
import { Textarea } from '../textarea.tsx'
import { TimeInput } from '../time-input.tsx'
import { longText, Stack, towns } from './shared.tsx'

export function Typed() {
  const [text, setText] = useState('')
  const [words, setWords] = useState('One line\nand another')
  const [tags, setTags] = useState(['architecture', 'stone', longText])
  const [colour, setColour] = useState('#0e5f63')
  const [date, setDate] = useState('2026-11-15')
  const [time, setTime] = useState('14:30')

  return (
    <Card title="To type in">
      <Stack>
        <Field label="Title" required help="Shown at the top of the page." counter={{ count: text.length, max: 40 }}>
          <Input value={text} onChange={setText} placeholder="A short title" />
        </Field>
        <Field label="Address" error="This is not a web address.">
          <Input value="not an address" onChange={setText} icon={Link} type="url" />
        </Field>
        <Field label="Price">
          <Input value="12.50" onChange={setText} before="€" after="per month" inputMode="decimal" />
        </Field>
        <Field label="Cannot be changed" disabled help={longText}>
          <Input value={longText} onChange={setText} />
        </Field>
        <Field label="Password">
          <PasswordInput value="correct horse" onChange={setText} />
        </Field>
        <Field label={longText} required error={['It is too short.', 'It must contain a number.']}>
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
