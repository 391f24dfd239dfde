import { Activity, History } from 'lucide-react'
import { useState } from 'react'
import { PageActivity } from '../activity/page-activity.tsx'
import { Versions, type VersionsProps } from '../editor/history-drawer.tsx'
import { t } from '../texts/texts.ts'
import { Drawer } from '../ui/drawer.tsx'
import { Tabs } from '../ui/tabs.tsx'

interface Props extends VersionsProps {
  uuid: string
  /** The tab that is open first. */
  tab: 'history' | 'activity'
  canUpdate: boolean
}

/** The versions of a page, if the account may change it, and its events. */
export function PageHistory({ uuid, tab: first, canUpdate, ...versions }: Props) {
  const [tab, setTab] = useState<string>(first)
  return (
    <Drawer open title={t(canUpdate ? 'editor.history' : 'activity.page')} onClose={versions.onClose}>
      {canUpdate ? (
        <Tabs
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'history', text: t('editor.history.versions'), icon: History },
            { value: 'activity', text: t('activity.page'), icon: Activity },
          ]}
        >
          {tab === 'history' ? <Versions {...versions} /> : <PageActivity uuid={uuid} />}
        </Tabs>
      ) : (
        <PageActivity uuid={uuid} />
      )}
    </Drawer>
  )
}
