import type { AuditEvent } from '@atrium/core/audit/audit'
import {
  ActionIcon,
  Button,
  CopyButton,
  DataList,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core'
import { IconCheck, IconCopy, IconFilter } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { actionLabel } from './audit-actions.ts'
import classes from './audit-entry.module.css'
import type { AuditFilterValues } from './audit-filters.tsx'
import { type MetadataLine, readMetadata } from './audit-metadata.ts'
import { SideDrawer } from './side-drawer.tsx'
import { OutcomeBadge } from './status-badge.tsx'
import { Time } from './time.tsx'

interface Props {
  /** The entry being shown; undefined closes the drawer. */
  event: AuditEvent | undefined
  onClose: () => void
  /** Narrows the list behind to a value of the entry; without it values are plain text. */
  onNarrow?: (filter: AuditFilterValues) => void
  /** What the readers call a tenant: "workplace". */
  tenantNoun?: string
}

/** Everything that an entry of the audit log holds. */
export function AuditEntryDrawer({ event, onClose, onNarrow, tenantNoun = 'tenant' }: Props) {
  const title = event && actionLabel(event.action, tenantNoun)
  return (
    <SideDrawer opened={event !== undefined} onClose={onClose} title={title}>
      {event && <AuditEntry event={event} onNarrow={onNarrow} tenantNoun={tenantNoun} />}
    </SideDrawer>
  )
}

function AuditEntry({
  event,
  onNarrow,
  tenantNoun,
}: {
  event: AuditEvent
  onNarrow: Props['onNarrow']
  tenantNoun: string
}) {
  const metadata = readMetadata(event.metadata)
  return (
    <Stack>
      <DataList labelWidth="116px">
        {factsOf(event, tenantNoun).map(([label, value, filter]) => (
          <DataList.Item key={label}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue className={classes.value}>
              {value}
              {filter && onNarrow && (
                <Tooltip label={`Only entries with this ${label.toLowerCase()}`}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    ml={4}
                    onClick={() => onNarrow(filter)}
                    aria-label={`Only entries with this ${label.toLowerCase()}`}
                  >
                    <IconFilter size={15} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              )}
            </DataList.ItemValue>
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
            style={{ alignSelf: 'flex-start' }}
            leftSection={
              copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
            }
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

/** Name and value of each fact, and the filter that finds other entries with the same value. */
function factsOf(
  event: AuditEvent,
  tenantNoun: string,
): [string, ReactNode, (AuditFilterValues | undefined)?][] {
  const { action, outcome, actorEmail, tenantSlug, partnerSlug } = event
  const facts: [string, ReactNode, (AuditFilterValues | undefined)?][] = [
    ['When', <Time key="at" at={event.at} show="both" />],
    ['Outcome', <OutcomeBadge key="outcome" outcome={outcome} />, { outcome }],
    ['Action', <code key="action">{action}</code>, { action }],
    ['Who', actorEmail ?? event.actorType, actorEmail === null ? undefined : { actorEmail }],
    [
      'Address',
      addressOf(event),
      event.actorIpTrusted === null
        ? undefined
        : { actorIpTrusted: event.actorIpTrusted ? 'true' : 'false' },
    ],
    [
      'Concerns',
      [event.resourceType.replace(/^tenant$/, tenantNoun), event.resourceName]
        .filter(Boolean)
        .join(' '),
    ],
    [sentence(tenantNoun), tenantSlug, tenantSlug === null ? undefined : { tenantSlug }],
    ['Partner', partnerSlug, partnerSlug === null ? undefined : { partnerSlug }],
    ['Through', event.source],
    ['Entry', <code key="id">{event.id}</code>],
  ]
  return facts.filter(([, value]) => value !== null && value !== '')
}

/** An address that no proxy or server of ours told is what the caller said it was. */
function addressOf({ actorIp, actorIpTrusted }: AuditEvent): string | null {
  return actorIp !== null && actorIpTrusted === false ? `${actorIp} (not confirmed)` : actorIp
}

function sentence(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
