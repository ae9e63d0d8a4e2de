import type { AuditEvent } from '@atrium/core/audit/audit'
import { Anchor, Text, UnstyledButton } from '@mantine/core'
import { actionLabel, type TenantNoun } from './audit-actions.ts'
import { onBehalfText, whoOf } from './audit-actors.ts'
import type { AuditFilterValues } from './audit-filters.tsx'
import { changesText } from './audit-sentence.ts'
import classes from './audit-table.module.css'
import { translations } from './messages.ts'
import { type Column, ResponsiveTable } from './responsive-table.tsx'
import { OutcomeBadge } from './status-badge.tsx'
import { Time } from './time.tsx'

const t = translations('ui.audit')

interface Props {
  caption: string
  events: readonly AuditEvent[]
  /** Opens an entry's details. */
  onOpen: (event: AuditEvent) => void
  /** Narrows the list to a value that was clicked; without it values are plain text. */
  onNarrow?: (filter: AuditFilterValues) => void
  /** Shows which workplace an entry concerns: lists over several of them. */
  showTenant?: boolean
  /** Shows the action's own name below its words, for people who filter by it. */
  showAction?: boolean
  /** What the readers call a tenant: "workplace". */
  tenantNoun?: TenantNoun
  stale?: boolean
}

/** Entries of the audit log, newest first as they come. */
export function AuditTable({
  caption,
  events,
  onOpen,
  onNarrow,
  showTenant = false,
  showAction = false,
  tenantNoun,
  stale = false,
}: Props) {
  const columns: Column<AuditEvent>[] = [
    {
      key: 'action',
      header: t('columns.what'),
      primary: true,
      cell: (event) => (
        <What
          event={event}
          words={actionLabel(event.action, tenantNoun)}
          onOpen={onOpen}
          showAction={showAction}
        />
      ),
    },
    {
      key: 'actor',
      header: t('columns.who'),
      breaks: true,
      cell: (event) => <Who event={event} onNarrow={onNarrow} />,
    },
    ...(showTenant ? [tenantColumn(onNarrow)] : []),
    {
      key: 'outcome',
      header: t('columns.outcome'),
      cell: (event) => <OutcomeBadge outcome={event.outcome} />,
    },
    { key: 'at', header: t('columns.when'), cell: When },
  ]
  return (
    <ResponsiveTable
      caption={caption}
      columns={columns}
      rows={events}
      rowKey={(event) => event.id}
      stale={stale}
    />
  )
}

interface WhatProps {
  event: AuditEvent
  words: string
  onOpen: (event: AuditEvent) => void
  showAction: boolean
}

function What({ event, words, onOpen, showAction }: WhatProps) {
  const changes = changesText(event)
  return (
    <>
      <UnstyledButton className={classes.open} data-row-link onClick={() => onOpen(event)}>
        {words}
      </UnstyledButton>
      {event.resourceName && (
        <Text size="sm" c="dimmed">
          {event.resourceName}
        </Text>
      )}
      {changes && (
        <Text size="sm" className={classes.changes}>
          {t('whoChanged', { who: whoOf(event), changes })}
        </Text>
      )}
      {showAction && (
        <Text size="xs" c="dimmed" ff="monospace">
          {event.action}
        </Text>
      )}
    </>
  )
}

/** The exact time, which a log is read for, over the relative one. */
function When({ at }: AuditEvent) {
  return (
    <>
      <Time at={at} show="absolute" />
      <Text size="xs" c="dimmed">
        <Time at={at} />
      </Text>
    </>
  )
}

interface CellProps {
  event: AuditEvent
  onNarrow: Props['onNarrow']
}

function Who({ event, onNarrow }: CellProps) {
  const { actorEmail } = event
  if (actorEmail === null) return <>{whoOf(event)}</>
  const onBehalf = onBehalfText(event)
  return (
    <>
      <Narrowing
        text={actorEmail}
        label={t('onlyOf', { person: actorEmail })}
        onClick={onNarrow && (() => onNarrow({ actorEmail }))}
      />
      {onBehalf && (
        <Text size="xs" c="dimmed">
          {onBehalf}
        </Text>
      )}
    </>
  )
}

function tenantColumn(onNarrow: Props['onNarrow']): Column<AuditEvent> {
  return {
    key: 'tenant',
    header: t('columns.tenant'),
    cell: ({ tenantSlug }) =>
      tenantSlug === null ? (
        '–'
      ) : (
        <Narrowing
          text={tenantSlug}
          label={t('onlyOfTenant', { slug: tenantSlug })}
          onClick={onNarrow && (() => onNarrow({ tenantSlug }))}
        />
      ),
  }
}

function Narrowing({
  text,
  label,
  onClick,
}: {
  text: string
  label: string
  onClick: (() => void) | undefined
}) {
  if (!onClick) return <>{text}</>
  return (
    <Anchor
      component="button"
      type="button"
      size="sm"
      underline="hover"
      ta="start"
      title={label}
      onClick={onClick}
    >
      {text}
    </Anchor>
  )
}
