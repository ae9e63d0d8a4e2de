import './issue-messages.ts'
import { auditOutcome, auditOutcomes, QueryAudit } from '@atrium/core/audit/audit'
import { Autocomplete, Button, NativeSelect, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useAddressChange } from './address-change.ts'
import { actionSuggestions } from './audit-actions.ts'
import { DebouncedInput } from './debounced-input.tsx'
import { FilterBar } from './filter-bar.tsx'
import { fromLocalInput, toLocalInput } from './format.ts'
import { translations } from './messages.ts'
import { outcomeMeta } from './tones.ts'

const t = translations('ui.audit')
const frame = translations('ui.frame')

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
  /** Acts under this access grant. */
  grantId?: string | undefined
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

export function AuditFilters({ value, fields, onChange, actions }: Props) {
  const set = fields.filter((field) => value[field] !== undefined)
  return (
    <FilterBar label={t('filters.title')}>
      {fields.map((field) => {
        if (field === 'since' || field === 'until' || field === 'before')
          return (
            <TimeField
              key={field}
              label={t(`filters.${field}`)}
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
            label={t(`filters.${field}.label`)}
            placeholder={t(`filters.${field}.placeholder`)}
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
          {frame('clearFilters')}
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
      label={t('filters.address')}
      value={value ?? ''}
      onChange={(event) => onChange(trust.safeParse(event.currentTarget.value).data)}
      data={[
        { value: '', label: t('filters.any') },
        { value: 'true', label: t('filters.confirmed') },
        { value: 'false', label: t('filters.notConfirmed') },
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
      label={t('filters.outcome')}
      value={value ?? ''}
      onChange={(event) => onChange(auditOutcome.safeParse(event.currentTarget.value).data)}
      data={[
        { value: '', label: t('filters.any') },
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
      label={t('filters.action')}
      placeholder={t('filters.actionPlaceholder')}
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
