import { Eye, EyeOff } from 'lucide-react'
import { useState } from 'react'
import type { KeyboardEvent, Ref } from 'react'
import { useControl } from './control.ts'
import type { ControlProps } from './control.ts'
import { cx } from './cx.ts'
import { IconButton } from './icon-button.tsx'
import { useUiTexts } from './texts.ts'

interface Props extends ControlProps {
  value: string
  onChange: (value: string) => void
  autoComplete?: 'current-password' | 'new-password' | undefined
  size?: 'normal' | 'large' | undefined
  placeholder?: string | undefined
  ref?: Ref<HTMLInputElement> | undefined
}

export function PasswordInput(props: Props) {
  const { value, onChange, autoComplete = 'current-password', size, ref } = props
  const control = useControl(props)
  const texts = useUiTexts()
  const [isVisible, setVisible] = useState(false)
  const [capsLock, setCapsLock] = useState(false)

  const updateCapsLock = (event: KeyboardEvent<HTMLInputElement>) => setCapsLock(event.getModifierState('CapsLock'))

  return (
    <div>
      <div
        className={cx('control flex items-center', size === 'large' ? 'min-h-10' : 'min-h-8')}
        data-disabled={control.disabled ? '' : undefined}
      >
        <input
          {...control}
          ref={ref}
          type={isVisible ? 'text' : 'password'}
          value={value}
          onChange={event => onChange(event.target.value)}
          onKeyDown={updateCapsLock}
          onKeyUp={updateCapsLock}
          onBlur={() => setCapsLock(false)}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          placeholder={props.placeholder}
          className="min-w-0 flex-1 self-stretch bg-transparent px-2.5 outline-none"
        />
        <IconButton
          className="me-0.5"
          size="small"
          label={isVisible ? texts.hidePassword : texts.showPassword}
          icon={isVisible ? EyeOff : Eye}
          onClick={() => setVisible(!isVisible)}
          disabled={control.disabled}
        />
      </div>
      <p role="status" className={cx('text-sm text-warn', capsLock && 'mt-1.5')}>
        {capsLock && texts.capsLock}
      </p>
    </div>
  )
}
