export const today = {
  'today.drafts': 'My unpublished changes',
  'today.drafts.empty': 'Your unpublished changes appear here.',
  'today.scheduled': 'Scheduled',
  'today.scheduled.empty': 'Pages that are published or unpublished at a certain time are listed here.',
  'today.scheduled.none': 'Nothing is scheduled for this day.',
  'today.scheduled.all': 'All days',
  'today.scheduled.count': { one: '{count} scheduled page', other: '{count} scheduled pages' },
  'today.attention': 'Needs attention',
  'today.attention.empty': 'Everything is fine. Pages with missing fields and schedules that failed are listed here.',
  'today.attention.schedule': 'It could not be published or unpublished as scheduled.',
  'today.recent': 'Recently edited',
  'today.recent.empty': 'Pages that you change are listed here.',
} as const
