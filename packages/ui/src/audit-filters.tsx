import '@atrium/core/platform/issue-messages'
import { auditOutcome, auditOutcomes, QueryAudit } from '@atrium/core/audit/audit'
import { Autocomplete, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useAddressChange } from './address-change.ts'
import { actionSuggestions } from './audit-actions.ts'
import { DebouncedInput } from './debounced-input.tsx'
import { FilterBar } from './filter-bar.tsx'
import { fromLocalInput, toLocalInput } from './format.ts'
import { outcomeMeta } from './tones.ts'

/** The filters of the audit log, as the address carries them. Times are ISO 8601 instants. */
export interface AuditFilterValues {
  q?: string | undefined
  action?: string | undefined
  outcome?: QueryAudit['outcome']
  actorIpTrusted?: QueryAudit['actorIpTrusted']
  actorEmail?: string | undefined
  since?: string | undefined
  until?: string | undefined
  before?: string | undefined
  tenantSlug?: string | undefined
  partnerSlug?: string | undefined
}

export type AuditFilterName = keyof AuditFilterValues

interface Props {
  value: AuditFilterValues
  /** Which filters are offered, in this order. */
  fields: readonly AuditFilterName[]
  /** Called with the fields that changed; undefined takes a filter away. */
  onChange: (change: AuditFilterValues) => void
  /** Actions to suggest; all known ones when left out. */
  actions?: readonly string[]
}

const texts: Partial<Record<AuditFilterName, { label: string; placeholder: string }>> = {
  q: { label: 'Search', placeholder: 'Action, name or person' },
  actorEmail: { label: 'Person', placeholder: 'E-mail address' },
  tenantSlug: { label: 'Tenant', placeholder: 'Slug' },
  partnerSlug: { label: 'Partner', placeholder: 'Slug' },
}
const times: Partial<Record<AuditFilterName, string>> = {
  since: 'From',
  until: 'Until',
  before: 'Before',
}

export function AuditFilters({ value, fields, onChange, actions }: Props) {
  const set = fields.filter((field) => value[field] !== undefined)
  return (
    <FilterBar label="Filter the audit log">
      {fields.map((field) => {
        const time = times[field]
        const text = texts[field]
        if (time !== undefined)
          return (
            <TimeField
              key={field}
              label={time}
              value={value[field]}
              onChange={(at) => onChange({ [field]: at })}
            />
          )
        if (field === 'action')
          return (
            <ActionField
              key={field}
              value={value.action}
              actions={actions}
              onChange={(action) => onChange({ action })}
            />
          )
        if (field === 'outcome')
          return (
            <OutcomeField
              key={field}
              value={value.outcome}
              onChange={(outcome) => onChange({ outcome })}
            />
          )
        if (field === 'actorIpTrusted')
          return (
            <TrustField
              key={field}
              value={value.actorIpTrusted}
              onChange={(actorIpTrusted) => onChange({ actorIpTrusted })}
            />
          )
        return (
          <DebouncedInput
            key={field}
            label={text?.label}
            placeholder={text?.placeholder}
            {...(field === 'q'
              ? { type: 'search', leftSection: <IconSearch size={16} aria-hidden /> }
              : { autoCapitalize: 'none', spellCheck: false })}
            value={value[field]}
            onChange={(words) => onChange({ [field]: words })}
          />
        )
      })}
      {set.length > 0 && (
        <Button
          variant="subtle"
          color="gray"
          onClick={() => onChange(Object.fromEntries(fields.map((field) => [field, undefined])))}
        >
          Clear filters
        </Button>
      )}
    </FilterBar>
  )
}

const trust = QueryAudit.shape.actorIpTrusted

function TrustField({
  value,
  onChange,
}: {
  value: AuditFilterValues['actorIpTrusted']
  onChange: (value: AuditFilterValues['actorIpTrusted']) => void
}) {
  return (
    <NativeSelect
      label="Address"
      value={value ?? ''}
      onChange={(event) => onChange(trust.safeParse(event.currentTarget.value).data)}
      data={[
        { value: '', label: 'Any' },
        { value: 'true', label: 'Confirmed' },
        { value: 'false', label: 'Not confirmed' },
      ]}
    />
  )
}

function OutcomeField({
  value,
  onChange,
}: {
  value: AuditFilterValues['outcome']
  onChange: (value: AuditFilterValues['outcome']) => void
}) {
  return (
    <NativeSelect
      label="Outcome"
      value={value ?? ''}
      onChange={(event) => onChange(auditOutcome.safeParse(event.currentTarget.value).data)}
      data={[
        { value: '', label: 'Any' },
        ...auditOutcomes.map((outcome) => ({ value: outcome, label: outcomeMeta(outcome).label })),
      ]}
    />
  )
}

interface TextProps {
  value: string | undefined
  onChange: (value: string | undefined) => void
}

const actionFilter = QueryAudit.shape.action

/** An action, or a leading part of one. What is half typed is said to be so and not yet sent. */
function ActionField({
  value,
  actions,
  onChange,
}: TextProps & { actions: readonly string[] | undefined }) {
  const [text, setText] = useState(value ?? '')
  const send = useAddressChange((next: string) => {
    const parsed = actionFilter.safeParse(next.trim() || undefined)
    if (parsed.success) onChange(parsed.data)
  })
  useEffect(() => setText(value ?? ''), [value])
  const parsed = actionFilter.safeParse(text.trim() || undefined)
  return (
    <Autocomplete
      label="Action"
      placeholder="tenant.* or tenant.created"
      autoCapitalize="none"
      spellCheck={false}
      data={actionSuggestions(actions)}
      // The list itself scrolls: a scroll area around it would be a stop for the keyboard that
      // holds nothing.
      withScrollArea={false}
      styles={{ options: { maxHeight: 320, overflowY: 'auto' } }}
      comboboxProps={{ withinPortal: false }}
      value={text}
      error={parsed.success ? undefined : parsed.error.issues[0]?.message}
      onChange={(next) => {
        setText(next)
        send(next)
      }}
    />
  )
}

function TimeField({ label, value, onChange }: TextProps & { label: string }) {
  return (
    <TextInput
      type="datetime-local"
      label={label}
      value={toLocalInput(value)}
      onChange={(event) => onChange(fromLocalInput(event.currentTarget.value))}
    />
  )
}
