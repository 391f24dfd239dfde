import { useUiTexts } from './texts.ts'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import type { Option } from './option.ts'
import { cx } from './cx.ts'

interface Props extends ControlProps {
  value: string
  onChange: (value: string) => void
  /** Predefined colours. */
  options?: readonly Option[] | undefined
  /** Only predefined colours are allowed. */
  fixed?: boolean | undefined
  placeholder?: string | undefined
}

export function ColorInput(props: Props) {
  const { value, onChange, options = [], fixed } = props
  const control = useControl(props)
  const texts = useUiTexts()

  return (
    <div className="flex flex-col gap-2">
      {!fixed && (
        <div className="control flex min-h-8 items-center" data-disabled={control.disabled ? '' : undefined}>
          <span className="relative ms-1 inline-flex size-6 shrink-0 overflow-hidden rounded-sm border border-edge has-focus-visible:outline-2 has-focus-visible:outline-focus">
            <Swatch colour={value} />
            <input
              type="color"
              aria-label={texts.colour}
              value={hexOf(value)}
              onChange={event => onChange(event.target.value)}
              disabled={control.disabled}
              className="absolute inset-0 size-full cursor-pointer opacity-0 disabled:cursor-default"
            />
          </span>
          <input
            {...control}
            value={value}
            onChange={event => onChange(event.target.value)}
            placeholder={props.placeholder ?? black}
            spellCheck={false}
            autoComplete="off"
            dir="ltr"
            className="min-w-0 flex-1 self-stretch bg-transparent px-2.5 font-mono text-sm outline-none"
          />
        </div>
      )}
      {options.length > 0 && (
        <div role="group" aria-label={texts.options} className="flex flex-wrap gap-1.5">
          {options.map(option => {
            const chosen = option.value.toLowerCase() === value.toLowerCase()

            return (
              <button
                key={option.value}
                type="button"
                aria-label={option.text}
                aria-pressed={chosen}
                data-tip={option.text}
                disabled={control.disabled}
                onClick={() => onChange(chosen && fixed ? '' : option.value)}
                className={cx(
                  'relative size-8 overflow-hidden rounded-md border border-edge disabled:opacity-55',
                  'aria-pressed:ring-2 aria-pressed:ring-accent aria-pressed:ring-offset-2 aria-pressed:ring-offset-surface',
                )}
              >
                <Swatch colour={option.value} />
              </button>
            )
          })}
        </div>
      )}
    </div>
  )
}

const black = '#000000'
let canvas: CanvasRenderingContext2D | null | undefined

/** The value of the native picker, which takes only `#rrggbb`: without transparency, and black for an invalid colour. */
function hexOf(colour: string): string {
  canvas ??= document.createElement('canvas').getContext('2d')
  if (!canvas) return black
  canvas.fillStyle = black
  canvas.fillStyle = colour // ignored if invalid; read back as `#rrggbb`, or as `rgba(…)` if it is transparent
  const [, ...parts] = /^rgba\((\d+), (\d+), (\d+),/.exec(canvas.fillStyle) ?? []
  if (parts.length === 0) return canvas.fillStyle.startsWith('#') ? canvas.fillStyle : black
  return `#${parts.map(part => Number(part).toString(16).padStart(2, '0')).join('')}`
}

/** The colour on a checkerboard, so that transparency is visible. An invalid colour shows only the checkerboard. */
function Swatch({ colour }: { colour: string }) {
  return (
    <>
      <span
        aria-hidden="true"
        className="absolute inset-0 bg-white bg-[repeating-conic-gradient(#c8cccc_0_25%,transparent_0_50%)] bg-size-[10px_10px]"
      />
      {/* A new element for each colour: the browser ignores an invalid one, and would keep the former. */}
      <span key={colour} aria-hidden="true" className="absolute inset-0" style={{ backgroundColor: colour }} />
    </>
  )
}
