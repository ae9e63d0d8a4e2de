import type { RecordVerdict } from '@atrium/core/mail/domains'
import { CopyValue } from '@atrium/ui/copy'
import { translations } from '@atrium/ui/messages'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Button, Code, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import classes from './record-table.module.css'
import { hostPart, mxParts, recordText, sortRecords } from './records.ts'
import { verdictMeta } from './status-meta.ts'

const t = translations('portal.domains')

interface Props {
  records: readonly RecordVerdict[]
  domain: string
  /** A check is in progress: the states shown are about to change. */
  checking: boolean
}

/** One row for each record. Records that mail works without are shown on request. */
export function RecordTable({ records, domain, checking }: Props) {
  const [all, { toggle }] = useDisclosure(false)
  if (records.length === 0) return <Text c="dimmed">{t('records.notYet')}</Text>
  const sorted = sortRecords(records)
  const needed = sorted.filter(({ required }) => required)
  const recommended = sorted.length - needed.length
  const shown = all ? sorted : needed
  return (
    <Stack gap="sm">
      <ResponsiveTable
        caption={t('records.title')}
        columns={columns(domain, checking)}
        rows={shown}
        rowKey={({ type, name, value }) => `${type} ${name} ${value}`}
      />
      {recommended > 0 && (
        <div>
          <Button variant="subtle" size="compact-sm" onClick={toggle} aria-expanded={all}>
            {all ? t('records.hide') : t('records.show', { count: recommended })}
          </Button>
        </div>
      )}
    </Stack>
  )
}

const columns = (domain: string, checking: boolean): readonly Column<RecordVerdict>[] => [
  {
    key: 'purpose',
    header: t('records.record'),
    primary: true,
    cell: (record) => {
      const { title, text } = recordText(record)
      return (
        <>
          <Code fw={600}>{record.type}</Code>{' '}
          <Text span size="sm" fw={550}>
            {title}
          </Text>
          <Text size="xs" c="dimmed" className={classes.purpose}>
            {record.required ? text : t('records.recommended', { text })}
          </Text>
        </>
      )
    },
  },
  {
    key: 'name',
    header: t('records.name'),
    cell: ({ type, name }) => {
      const host = hostPart(name, domain)
      return <CopyValue label={t('records.nameOf', { type, host })} hideLabel value={host} />
    },
  },
  {
    key: 'value',
    header: t('records.value'),
    cell: (record) => <Value record={record} domain={domain} />,
  },
  {
    key: 'state',
    header: t('records.state'),
    cell: (record) =>
      checking ? (
        <StatusBadge label={t('records.checking')} tone="working" />
      ) : (
        <State record={record} />
      ),
  },
]

function Value({ record, domain }: { record: RecordVerdict; domain: string }) {
  const mx = mxParts(record)
  return (
    <div className={classes.value}>
      <CopyValue
        label={t('records.valueOf', { type: record.type, host: hostPart(record.name, domain) })}
        hideLabel
        value={record.value}
      />
      {mx && (
        <Text size="xs" c="dimmed">
          {t('records.mx', { preference: mx.preference, host: mx.host })}
        </Text>
      )}
    </div>
  )
}

/** The verdict, and for a record that is not right what DNS returned instead. */
function State({ record: { verdict, reason, found, value } }: { record: RecordVerdict }) {
  const expected = verdict === 'ok' && found.length === 1 && found[0] === value
  const looked = verdict !== 'unchecked' && verdict !== 'unknown'
  return (
    <div className={classes.state}>
      <StatusBadge {...verdictMeta(verdict)} />
      {reason && <Text size="xs">{reason}</Text>}
      {looked && !expected && (
        <Text size="xs" c="dimmed" component="div">
          {found.length === 0 ? t('records.nothingFound') : `${t('records.found')} `}
          {found.map((text) => (
            <Code key={text} className={classes.found}>
              {text}
            </Code>
          ))}
        </Text>
      )}
    </div>
  )
}
