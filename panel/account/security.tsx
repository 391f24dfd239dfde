import { PasswordCard } from './password.tsx'
import { Passkeys } from './passkeys.tsx'
import { RecoveryCodes } from './recovery.tsx'
import { Totp } from './totp.tsx'

/** The factors of the user's own account. */
export function Security() {
  return (
    <div className="flex flex-col gap-5">
      <PasswordCard />
      <Totp />
      <Passkeys />
      <RecoveryCodes />
    </div>
  )
}
