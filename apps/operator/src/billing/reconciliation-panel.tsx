import type { BillingDifference, BillingOverview } from '@atrium/core/billing/billing'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { FailureText } from '@atrium/ui/failure-text'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { type Column, ResponsiveTable } from '@atrium/ui/responsive-table'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Time } from '@atrium/ui/time'
import { Alert, Stack, Text } from '@mantine/core'

const t = translations('operator.billing')

/** The result of the last nightly comparison with the payment processor. */
export function ReconciliationPanel({
  overview: { reconciliation, differences },
}: {
  overview: BillingOverview
}) {
  const failure = reconciliation?.error ?? null
  return (
    <Panel title={t('reconciliation.title')} description={t('reconciliation.hint')}>
      {reconciliation === null ? (
        <Text c="dimmed">{t('reconciliation.empty')}</Text>
      ) : (
        <Stack>
          {failure !== null && (
            <Alert color="yellow">
              {t.rich('reconciliation.failed', {
                failure: () => <FailureText text={failure} />,
              })}
            </Alert>
          )}
          <DetailList>
            <DetailItem label={t('reconciliation.last')}>
              <Time at={reconciliation.startedAt} show="both" />
            </DetailItem>
            <DetailItem label={t('reconciliation.compared')}>
              {formatCount(reconciliation.tenants)}
            </DetailItem>
            <DetailItem label={t('reconciliation.notCompared')}>
              {reconciliation.failed === 0 ? t('none') : formatCount(reconciliation.failed)}
            </DetailItem>
            <DetailItem label={t('reconciliation.differences')}>
              {reconciliation.differences === 0
                ? t('none')
                : t('reconciliation.repairedOf', {
                    differences: reconciliation.differences,
                    repaired: reconciliation.repaired,
                  })}
            </DetailItem>
            <DetailItem label={t('reconciliation.lostEvents')}>
              {reconciliation.lostEvents === 0
                ? t('none')
                : t('reconciliation.recovered', { events: reconciliation.lostEvents })}
            </DetailItem>
          </DetailList>
          {differences.length > 0 && (
            <ResponsiveTable
              caption={t('reconciliation.differences')}
              columns={columns()}
              rows={differences}
              rowKey={({ id }) => id}
            />
          )}
        </Stack>
      )}
    </Panel>
  )
}

const columns = (): readonly Column<BillingDifference>[] => [
  {
    key: 'object',
    header: t('reconciliation.object'),
    primary: true,
    cell: ({ objectType, objectId }) => (
      <>
        {t(`reconciliation.types.${objectType === 'invoice' ? 'invoice' : 'subscription'}`)}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {objectId}
        </Text>
      </>
    ),
  },
  {
    key: 'tenant',
    header: t('pastDue.tenant'),
    cell: ({ tenantSlug }) => (
      <LinkAnchor to="/tenants/$slug" params={{ slug: tenantSlug }} fz="inherit">
        {tenantSlug}
      </LinkAnchor>
    ),
  },
  {
    key: 'kind',
    header: t('reconciliation.found'),
    cell: ({ kind, fields }) => (
      <>
        {t(`reconciliation.kinds.${kind}`)}
        {Object.entries(fields).map(([field, [ours, theirs]]) => (
          <Text key={field} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {t('reconciliation.difference', {
              field,
              ours: String(ours),
              theirs: String(theirs),
            })}
          </Text>
        ))}
      </>
    ),
  },
  {
    key: 'repaired',
    header: t('reconciliation.result'),
    cell: ({ repaired }) =>
      repaired ? (
        <StatusBadge label={t('reconciliation.repaired')} tone="good" />
      ) : (
        <StatusBadge label={t('reconciliation.check')} tone="warning" />
      ),
  },
]
