import type { DocumentOverview } from '@atrium/core/billing/documents/views'
import { QueryState } from '@atrium/ui/data-states'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { Time } from '@atrium/ui/time'
import { Alert, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('operator.documents')

/** Whether invoices and statements can be issued, what waits, and which numbers are missing. */
export function DocumentsPanel() {
  const query = useQuery(useTRPC().documents.overview.queryOptions({}))
  return (
    <Panel title={t('title')} description={t('hint')}>
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && <Overview overview={query.data} />}
    </Panel>
  )
}

function Overview({
  overview: { missingSettings, pending, gaps },
}: {
  overview: DocumentOverview
}) {
  return (
    <Stack>
      {missingSettings.length > 0 && (
        <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('missing.title')}>
          {t('missing.hint', { settings: missingSettings.join(', ') })}
        </Alert>
      )}
      {gaps.length > 0 && (
        <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={t('gaps.title')}>
          <Text size="sm">{t('gaps.hint')}</Text>
          {gaps.map(({ prefix, from, to }) => (
            <Text key={`${prefix}${from}`} size="sm">
              {from === to
                ? t('gaps.one', { number: `${prefix}${from}` })
                : t('gaps.range', { from: `${prefix}${from}`, to: `${prefix}${to}` })}
            </Text>
          ))}
        </Alert>
      )}
      {pending.length === 0 ? (
        <Text c="dimmed">{t('pending.none')}</Text>
      ) : (
        <ResponsiveTable
          caption={t('pending.title')}
          columns={columns()}
          rows={pending}
          rowKey={({ owner, slug, number, kind }) => `${owner} ${slug} ${number} ${kind}`}
        />
      )}
    </Stack>
  )
}

type Pending = DocumentOverview['pending'][number]

const columns = (): readonly Column<Pending>[] => [
  {
    key: 'document',
    header: t('pending.document'),
    primary: true,
    cell: ({ kind, number }) => (
      <>
        {t(`kinds.${kind}`)}
        <Text size="xs" c="dimmed">
          {number}
        </Text>
      </>
    ),
  },
  { key: 'slug', header: t('pending.for'), cell: ({ slug }) => slug },
  {
    key: 'problems',
    header: t('pending.missing'),
    cell: ({ problems }) => problems.map((problem) => t(`problems.${problem}`)).join(', '),
  },
  { key: 'since', header: t('pending.since'), cell: ({ since }) => <Time at={since} /> },
]
