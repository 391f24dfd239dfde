import { ColorInput } from '../ui/color-input.tsx'
import { Input } from '../ui/input.tsx'
import { type FieldProps, optionsIn, textIn } from './field.ts'

const examples: Readonly<Record<string, string>> = {
  hex: '#ff8800',
  rgb: 'rgb(255, 136, 0)',
  hsl: 'hsl(32, 100%, 50%)',
}

export function ColorField({ field, value, onChange, disabled }: FieldProps<string | null>) {
  const placeholder = textIn(field.placeholder) ?? examples[textIn(field['format']) ?? 'hex']
  const shownColour = value ?? ''
  if (field['mode'] === 'input')
    return (
      <Input value={shownColour} onChange={onChange} disabled={disabled} placeholder={placeholder} mono dir="ltr" />
    )

  return (
    <ColorInput
      value={shownColour}
      // The colour picker returns hexadecimal values. Typed values stay as typed.
      onChange={colour =>
        onChange(colour.startsWith('#') ? inFormat(colour, textIn(field['format']) ?? 'hex') : colour)
      }
      options={optionsIn(field).map(option => ({ value: option.value, text: option.text || option.value }))}
      fixed={field['mode'] === 'options'}
      disabled={disabled}
      placeholder={placeholder}
    />
  )
}

function inFormat(hex: string, format: string): string {
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i
    .exec(hex)
    ?.slice(1)
    .map(part => Number.parseInt(part, 16))
  if (!parts || format === 'hex') return hex
  const [red = 0, green = 0, blue = 0] = parts
  if (format === 'rgb') return `rgb(${red}, ${green}, ${blue})`
  const [high, low] = [Math.max(red, green, blue) / 255, Math.min(red, green, blue) / 255]
  const range = high - low
  const light = (high + low) / 2
  const hue =
    range === 0
      ? 0
      : high * 255 === red
        ? ((green - blue) / 255 / range + 6) % 6
        : high * 255 === green
          ? (blue - red) / 255 / range + 2
          : (red - green) / 255 / range + 4
  const saturation = range === 0 ? 0 : range / (1 - Math.abs(2 * light - 1))
  return `hsl(${Math.round(hue * 60)}, ${Math.round(saturation * 100)}%, ${Math.round(light * 100)}%)`
}
