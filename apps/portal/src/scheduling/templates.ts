import { type CreateEventType, eventTypeDefaults } from '@atrium/core/scheduling/event-types'
import type { Messages } from '@atrium/messages/messages'
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
  /** Its title and description are in the catalogue. */
  key: keyof Messages['portal']['scheduling-event-types']['templates']
  icon: TablerIcon
  settings: Omit<Partial<CreateEventType>, 'slug' | 'hostId' | 'hostIds' | 'fields'> &
    Pick<CreateEventType, 'durations' | 'locationKind'>
}

export const templates: readonly EventTypeTemplate[] = [
  {
    key: 'intro',
    icon: IconVideo,
    settings: { durations: [30], locationKind: 'video' },
  },
  {
    key: 'phone',
    icon: IconPhone,
    settings: { durations: [15], locationKind: 'visitor_phone' },
  },
  {
    key: 'visit',
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
    icon: IconUsers,
    settings: { durations: [30], locationKind: 'video', assignment: 'round_robin' },
  },
  {
    key: 'panel',
    icon: IconUsersGroup,
    settings: { durations: [45], locationKind: 'video', assignment: 'collective' },
  },
]

/** Whether several hosts take part. */
export function needsTeam({ settings }: EventTypeTemplate): boolean {
  return (settings.assignment ?? eventTypeDefaults.assignment) !== 'host'
}
