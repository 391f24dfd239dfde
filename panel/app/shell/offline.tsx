import { useSyncExternalStore } from 'react'
import { WifiOff } from 'lucide-react'
import { t } from '../../texts/texts.ts'
import { Notice } from '../../ui/notice.tsx'

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}

/** A notice above all screens while there is no connection. */
export function Offline() {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine)
  if (online) return null
  return (
    <div className="px-4 pt-3 sm:px-6 lg:px-8">
      <Notice live tone="warn" icon={WifiOff}>
        {t('app.offline')}
      </Notice>
    </div>
  )
}
