import { type CreateEventType, eventTypeDefaults } from '@atrium/core/scheduling/event-types'
import {
  IconBuilding,
  IconPhone,
  IconSchool,
  IconUsers,
  IconUsersGroup,
  IconVideo,
  type TablerIcon,
} from '@tabler/icons-react'

/** What a new event type starts with. */
export interface EventTypeTemplate {
  key: string
  title: string
  /** What it is for. */
  description: string
  icon: TablerIcon
  settings: Omit<Partial<CreateEventType>, 'slug' | 'hostId' | 'hostIds'> &
    Pick<CreateEventType, 'durations' | 'locationKind'>
}

const number = { key: 'phone', label: 'Your phone number', kind: 'phone' as const, required: true }

export const templates: readonly EventTypeTemplate[] = [
  {
    key: 'intro',
    title: 'Introduction call',
    description: '30 minutes by video, to get to know each other.',
    icon: IconVideo,
    settings: { durations: [30], locationKind: 'video' },
  },
  {
    key: 'phone',
    title: 'Phone call',
    description: '15 minutes. You call the visitor, who is asked for the number.',
    icon: IconPhone,
    settings: { durations: [15], locationKind: 'visitor_phone', fields: [number] },
  },
  {
    key: 'visit',
    title: 'Meeting in person',
    description: 'An hour at your place, with a quarter of an hour free on both sides.',
    icon: IconBuilding,
    settings: {
      durations: [60],
      locationKind: 'in_person',
      beforeMinutes: 15,
      afterMinutes: 15,
      noticeMinutes: 1_440,
    },
  },
  {
    key: 'workshop',
    title: 'Workshop',
    description: 'Two hours for up to twelve visitors at once. You confirm each booking.',
    icon: IconSchool,
    settings: {
      durations: [120],
      locationKind: 'in_person',
      seats: 12,
      requiresConfirmation: true,
      noticeMinutes: 2_880,
    },
  },
  {
    key: 'support',
    title: 'Support',
    description: '30 minutes with whichever of several hosts is free, in turns.',
    icon: IconUsers,
    settings: { durations: [30], locationKind: 'video', assignment: 'round_robin' },
  },
  {
    key: 'panel',
    title: 'Interview',
    description: '45 minutes with several hosts together, when all of them are free.',
    icon: IconUsersGroup,
    settings: { durations: [45], locationKind: 'video', assignment: 'collective' },
  },
]

/** Whether several hosts take part. */
export function needsTeam({ settings }: EventTypeTemplate): boolean {
  return (settings.assignment ?? eventTypeDefaults.assignment) !== 'host'
}
