'use client'

import { useRouter } from 'next/navigation'
import { preview } from 'quoin/preview'
import { useEffect } from 'react'

/** Connects the page to the panel that shows it. */
export function Preview({ panel }: { panel: string }) {
  const router = useRouter()
  useEffect(() => preview({ panel, refresh: () => router.refresh() }), [panel, router])
  return <a href="/api/preview">Leave the preview</a>
}
