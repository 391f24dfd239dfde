import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { t } from '../texts/texts.ts'
import { IconButton } from '../ui/icon-button.tsx'

/** Copies a text to the clipboard, and confirms it. */
export function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 2000)
  }
  return (
    <>
      <IconButton
        size="small"
        label={t(copied ? 'action.copied' : 'action.copy')}
        icon={copied ? Check : Copy}
        onClick={() => void copy()}
      />
      <span role="status" className="sr-only">
        {copied && t('action.copied')}
      </span>
    </>
  )
}
