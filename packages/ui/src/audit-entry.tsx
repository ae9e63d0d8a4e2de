import type { AuditEvent } from '@atrium/core/audit'
import { Button, CopyButton, DataList, Drawer, Stack, Text, Title } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { actionWords } from './audit-actions.ts'
import classes from './audit-entry.module.css'
import { type MetadataLine, readMetadata } from './audit-metadata.ts'
import { OutcomeBadge } from './status-badge.tsx'
import { Time } from './time.tsx'

interface Props {
  /** The entry being shown; undefined closes the drawer. */
  event: AuditEvent | undefined
  onClose: () => void
}

/** Everything that an entry of the audit log holds. */
export function AuditEntryDrawer({ event, onClose }: Props) {
  return (
    <Drawer opened={event !== undefined} onClose={onClose} position="right" size="lg" title={event ? actionWords(event.action) : undefined}>
      {event && <AuditEntry event={event} />}
    </Drawer>
  )
}

function AuditEntry({ event }: { event: AuditEvent }) {
  const metadata = readMetadata(event.metadata)
  return (
    <Stack>
      <DataList labelWidth="116px">
        {factsOf(event).map(([label, value]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue className={classes.value}>{value}</DataList.ItemValue>
          </DataList.Item>
        ))}
      </DataList>
      {metadata.length > 0 && (
        <section aria-label="Details">
          <Title order={3} mb="xs">
            Details
          </Title>
          <ul className={classes.lines}>
            {metadata.map((line) => (
              <li key={line.path} className={classes.line} data-depth={Math.min(line.depth, 4)}>
                <Line {...line} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <CopyButton value={JSON.stringify(event, null, 2)}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
            onClick={copy}
          >
            {copied ? 'Copied' : 'Copy as JSON'}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}

function Line({ label, value, change }: MetadataLine) {
  return (
    <>
      <Text span size="sm" c="dimmed" className={classes.label}>
        {label}
      </Text>
      {value !== undefined && (
        <Text span size="sm">
          {value}
        </Text>
      )}
      {change && (
        <Text span size="sm">
          <del>{change.before}</del> → <ins className={classes.after}>{change.after}</ins>
        </Text>
      )}
    </>
  )
}

function factsOf(event: AuditEvent): [string, ReactNode][] {
  const facts: [string, ReactNode][] = [
    ['When', <Time key="at" at={event.at} show="both" />],
    ['Outcome', <OutcomeBadge key="outcome" outcome={event.outcome} />],
    ['Action', <code key="action">{event.action}</code>],
    ['Who', event.actorEmail ?? event.actorType],
    ['Address', event.actorIp],
    ['Concerns', [event.resourceType, event.resourceName].filter(Boolean).join(' ')],
    ['Tenant', event.tenantSlug],
    ['Partner', event.partnerSlug],
    ['Through', event.source],
    ['Entry', <code key="id">{event.id}</code>],
  ]
  return facts.filter(([, value]) => value !== null && value !== '')
}
