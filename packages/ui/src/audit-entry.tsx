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
import { actionLabel, resourceLabel, type TenantNoun } from './audit-actions.ts'
import { onBehalfText, whoOf } from './audit-actors.ts'
import classes from './audit-entry.module.css'
import type { AuditFilterValues } from './audit-filters.tsx'
import { type MetadataLine, readMetadata } from './audit-metadata.ts'
import { inSentence } from './format.ts'
import { translations } from './messages.ts'
import { SideDrawer } from './side-drawer.tsx'
import { OutcomeBadge } from './status-badge.tsx'
import { Time } from './time.tsx'

const t = translations('ui.audit')
const frame = translations('ui.frame')

interface Props {
  /** The entry being shown; undefined closes the drawer. */
  event: AuditEvent | undefined
  onClose: () => void
  /** Narrows the list behind to a value of the entry; without it values are plain text. */
  onNarrow?: (filter: AuditFilterValues) => void
  /** What the readers call a tenant: "workplace". */
  tenantNoun?: TenantNoun
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
  tenantNoun: TenantNoun
}) {
  const metadata = readMetadata(event.metadata)
  return (
    <Stack>
      <DataList labelWidth="116px">
        {factsOf(event, tenantNoun).map(({ key, label, value, narrow }) => (
          <DataList.Item key={key}>
            <DataList.ItemLabel>{label}</DataList.ItemLabel>
            <DataList.ItemValue className={classes.value}>
              {value}
              {narrow && onNarrow && (
                <Tooltip label={narrow.label}>
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size="sm"
                    ml={4}
                    onClick={() => onNarrow(narrow.filter)}
                    aria-label={narrow.label}
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
        <section aria-label={t('entry.details')}>
          <Title order={3} mb="xs">
            {t('entry.details')}
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
            {copied ? frame('copied') : t('entry.copyJson')}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}

function Line({ label, isKey, value, change }: MetadataLine) {
  return (
    <>
      <Text
        {...(isKey ? { component: 'code', ff: 'monospace' } : { component: 'span' })}
        size="sm"
        c="dimmed"
        className={classes.label}
      >
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

interface Fact {
  key: string
  label: string
  value: ReactNode
  /** Finds other entries with the same value, and what that button is called. */
  narrow?: { filter: AuditFilterValues; label: string } | undefined
}

function factsOf(event: AuditEvent, tenantNoun: TenantNoun): Fact[] {
  const { action, outcome, actorEmail, tenantSlug, partnerSlug } = event
  const tenant = t(`nouns.${tenantNoun}`)
  const facts: Fact[] = [
    { key: 'when', label: t('entry.when'), value: <Time at={event.at} show="both" /> },
    {
      key: 'outcome',
      label: t('entry.outcome'),
      value: <OutcomeBadge outcome={outcome} />,
      narrow: { filter: { outcome }, label: t('entry.onlyThis.outcome') },
    },
    {
      key: 'action',
      label: t('entry.action'),
      value: <code>{action}</code>,
      narrow: { filter: { action }, label: t('entry.onlyThis.action') },
    },
    {
      key: 'who',
      label: t('entry.who'),
      value: whoOf(event),
      narrow:
        actorEmail === null
          ? undefined
          : { filter: { actorEmail }, label: t('entry.onlyThis.who') },
    },
    {
      key: 'address',
      label: t('entry.address'),
      value: addressOf(event),
      narrow:
        event.actorIpTrusted === null
          ? undefined
          : {
              filter: { actorIpTrusted: event.actorIpTrusted ? 'true' : 'false' },
              label: t('entry.onlyThis.address'),
            },
    },
    {
      key: 'concerns',
      label: t('entry.concerns'),
      value: [resourceLabel(event.resourceType, tenantNoun), event.resourceName]
        .filter(Boolean)
        .join(' '),
    },
    {
      key: 'tenant',
      label: tenant,
      value: tenantSlug,
      narrow:
        tenantSlug === null
          ? undefined
          : {
              filter: { tenantSlug },
              label: t('entry.onlyThis.tenant', { tenant: inSentence(tenant) }),
            },
    },
    {
      key: 'partner',
      label: t('entry.partner'),
      value: partnerSlug,
      narrow:
        partnerSlug === null
          ? undefined
          : { filter: { partnerSlug }, label: t('entry.onlyThis.partner') },
    },
    {
      key: 'grant',
      label: t('entry.grant'),
      value: onBehalfText(event) ?? '',
      narrow:
        typeof event.metadata.grantId === 'string'
          ? { filter: { grantId: event.metadata.grantId }, label: t('entry.onlyThis.grant') }
          : undefined,
    },
    { key: 'through', label: t('entry.through'), value: event.source },
    { key: 'entry', label: t('entry.entry'), value: <code>{event.id}</code> },
  ]
  return facts.filter(({ value }) => value !== null && value !== '')
}

/** An address that none of our proxies or servers reported is the caller's own claim. */
function addressOf({ actorIp, actorIpTrusted }: AuditEvent): string | null {
  return actorIp !== null && actorIpTrusted === false
    ? t('entry.notConfirmed', { address: actorIp })
    : actorIp
}
