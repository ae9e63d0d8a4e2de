import type {
  Assignment,
  BookingChangeKind,
  BookingParty,
  BookingSource,
  BookingStatus,
  CalendarDrift,
  CalendarState,
  CredentialSource,
  LimitsScope,
  LocationKind,
  RescheduleHost,
} from '@atrium/core/scheduling/scheduling'
import type { ColumnType, Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface BookingPagesTable {
  tenant_id: string
  enabled: Generated<boolean>
  headline: string | null
  intro: string | null
  embed_origins: Generated<string[]>
  version: Generated<number>
  updated_at: Timestamp
}

export interface HostsTable {
  id: Generated<string>
  tenant_id: string
  user_id: string
  slug: string
  name: string
  title: string | null
  description: string | null
  avatar_url: string | null
  zone: string
  mail_address: string
  mail_account_id: string | null
  calendar_id: string | null
  listed: Generated<boolean>
  active: Generated<boolean>
  limit_day: number | null
  limit_week: number | null
  limit_month: number | null
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
  removed_at: OptionalTimestamp
}

export interface MailCredentialsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  host_id: string
  source: CredentialSource
  username: string
  secret: Buffer
  external_id: string | null
  external_account_id: string | null
  checked_at: OptionalTimestamp
  ok: boolean | null
  error: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

export interface AppPasswordRemovalsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  id: Generated<string>
  host_id: string
  account_id: string
  description: string
  external_id: string | null
  attempts: Generated<number>
  next_at: RequiredTimestamp
  error: string | null
  created_at: Timestamp
}

/** Minutes of the day, as `DayWindow` of `@atrium/core/scheduling/slots`. */
export interface StoredWindow {
  start: number
  end: number
}

export interface StoredOverride {
  /** `2027-06-05` */
  date: string
  windows: StoredWindow[]
}

export interface AvailabilitySchedulesTable {
  id: Generated<string>
  tenant_id: string
  host_id: string
  name: string
  zone: string
  /** Seven lists, Monday first. */
  weekly: ColumnType<StoredWindow[][], string, string>
  overrides: ColumnType<StoredOverride[], string | undefined, string>
  standard: Generated<boolean>
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
}

export type StoredBookingWindow =
  | { kind: 'rolling'; days: number }
  | { kind: 'fixed'; from: string; to: string }
  | { kind: 'open' }

/** What a visitor is asked. `options` for `choice` alone. */
export interface StoredFormField {
  key: string
  label: string
  kind: 'text' | 'long_text' | 'choice' | 'phone' | 'checkbox'
  required: boolean
  options?: string[]
}

export interface EventTypesTable {
  id: Generated<string>
  tenant_id: string
  host_id: string
  schedule_id: string | null
  slug: string
  title: string
  description: string | null
  /** The first one is what a visitor gets who chooses none. */
  durations: number[]
  step_minutes: number | null
  notice_minutes: Generated<number>
  before_minutes: Generated<number>
  after_minutes: Generated<number>
  booking_window: ColumnType<StoredBookingWindow, string, string>
  limit_day: number | null
  limit_week: number | null
  limit_month: number | null
  limits_scope: Generated<LimitsScope>
  bookings_per_visitor: ColumnType<number | null, number | null | undefined, number | null>
  seats: Generated<number>
  assignment: Generated<Assignment>
  location_kind: LocationKind
  location: string | null
  requires_confirmation: Generated<boolean>
  approval_hours: Generated<number>
  cancel_cutoff_minutes: Generated<number>
  reschedule_cutoff_minutes: Generated<number>
  reschedule_host: Generated<RescheduleHost>
  fields: ColumnType<StoredFormField[], string | undefined, string>
  reminders: Generated<number[]>
  active: Generated<boolean>
  listed: Generated<boolean>
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
  removed_at: OptionalTimestamp
}

export interface EventTypeHostsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  event_type_id: string
  host_id: string
}

export interface SlotLocksTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  id: Generated<string>
  lock_id: string
  host_id: string
  event_type_id: string
  start_utc: RequiredTimestamp
  end_utc: RequiredTimestamp
  claim_start: RequiredTimestamp
  claim_end: RequiredTimestamp
  holder_hash: Buffer
  address: string
  network: string | null
  renewals: Generated<number>
  seat: Generated<number>
  expires_at: RequiredTimestamp
  created_at: Timestamp
}

export interface BookingsTable {
  id: Generated<string>
  tenant_id: string
  event_type_id: string
  host_id: string
  status: BookingStatus
  source: BookingSource
  uid: string
  sequence: Generated<number>
  invited: Generated<boolean>
  title: string
  location_kind: LocationKind
  location: string | null
  start_at: RequiredTimestamp
  end_at: RequiredTimestamp
  before_minutes: Generated<number>
  after_minutes: Generated<number>
  host_zone: string
  host_wall: string
  organizer: ColumnType<string | null, string | undefined, string>
  visitor_name: string
  visitor_email: string
  visitor_zone: string
  visitor_locale: string
  guests: Generated<string[]>
  answers: ColumnType<Record<string, string>, string | undefined, string>
  note: string | null
  manage_hash: Buffer
  manage_sealed: Buffer | null
  request_hash: Buffer | null
  approval_expires_at: OptionalTimestamp
  confirmed_at: OptionalTimestamp
  ended_at: OptionalTimestamp
  ended_by: BookingParty | null
  reason: string | null
  no_show: Generated<boolean>
  visitor_confirmed_at: OptionalTimestamp
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
}

export interface BookingHostsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  booking_id: string
  host_id: string
  claim_start: RequiredTimestamp
  claim_end: RequiredTimestamp
  active: boolean
  seat_group: string
  seat: Generated<number>
  calendar_state: Generated<CalendarState>
  calendar_event_id: string | null
  calendar_version: number | null
  calendar_group: string | null
  calendar_attempts: Generated<number>
  calendar_next_at: OptionalTimestamp
  calendar_run: string | null
  calendar_lease_until: OptionalTimestamp
  calendar_error: string | null
  calendar_drift: Generated<CalendarDrift>
  calendar_checked_at: OptionalTimestamp
  calendar_start: OptionalTimestamp
  calendar_end: OptionalTimestamp
  joined_at: OptionalTimestamp
  left_at: OptionalTimestamp
}

export interface BookingChangesTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  id: Generated<string>
  booking_id: string
  kind: BookingChangeKind
  by: BookingParty
  actor_id: string | null
  from_start: OptionalTimestamp
  to_start: OptionalTimestamp
  from_host_id: string | null
  to_host_id: string | null
  reason: string | null
  at: Timestamp
}

export interface BookingRemindersTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  booking_id: string
  minutes_before: number
  due_at: RequiredTimestamp
  sent_at: OptionalTimestamp
}

/** Unlogged: emptied by a crash of the server. */
export interface RateLimitsTable {
  key: string
  window_start: RequiredTimestamp
  taken: number
  expires_at: RequiredTimestamp
}

export interface SchedulingTables {
  booking_pages: BookingPagesTable
  hosts: HostsTable
  mail_credentials: MailCredentialsTable
  app_password_removals: AppPasswordRemovalsTable
  availability_schedules: AvailabilitySchedulesTable
  event_types: EventTypesTable
  event_type_hosts: EventTypeHostsTable
  slot_locks: SlotLocksTable
  bookings: BookingsTable
  booking_hosts: BookingHostsTable
  booking_changes: BookingChangesTable
  booking_reminders: BookingRemindersTable
  rate_limits: RateLimitsTable
}
