import type { ApprovalView } from '@atrium/core/billing/approvals'
import { ConfirmDialog } from '@atrium/ui/confirm'
import { QueryState } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { formatDay, formatMoney } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { StatusBadge } from '@atrium/ui/status-badge'
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'
import { ApproveRequest } from './approve-request.tsx'
import { approvalMeta, termsLabel } from './labels.ts'
import { useDecline } from './mutations.ts'
import { SpendingLimit } from './spending-limit.tsx'

const t = translations('portal.approvals')

interface Props {
  slug: string
  /** The owner: admins only read. */
  mayDecide: boolean
}

/** What the partner of a workplace wants to order, and what it may order without asking. */
export function ApprovalsPanel({ slug, mayDecide }: Props) {
  const trpc = useTRPC()
  const support = useQuery(trpc.partners.support.queryOptions({ slug }))
  const requests = useQuery(trpc.approvals.list.queryOptions({ slug, limit: 6 }))
  const partner = support.data?.partner?.name
  const items = requests.data?.items ?? []
  if (!partner && items.length === 0) return null
  const pending = items.find(({ status }) => status === 'pending')
  const earlier = items.filter((item) => item !== pending).slice(0, 5)
  return (
    <Panel title={t('title')} description={partner && t('description', { partner })}>
      <QueryState query={requests} loading={t('loading')} failed={t('loadFailed')} />
      {requests.data && (
        <Stack>
          {pending ? (
            <Request slug={slug} request={pending} mayDecide={mayDecide} />
          ) : (
            <Text c="dimmed">{t('none')}</Text>
          )}
          {partner && <SpendingLimit slug={slug} mayDecide={mayDecide} />}
          {earlier.length > 0 && <Earlier items={earlier} />}
        </Stack>
      )}
    </Panel>
  )
}

function Request({ slug, request, mayDecide }: Props & { request: ApprovalView }) {
  const [reviewing, review] = useDisclosure(false)
  const [declining, asking] = useDisclosure(false)
  const decline = useDecline()
  const { id, kind, before, after, currency, addedMinor, partnerName } = request
  return (
    <Alert
      icon={<IconUserQuestion aria-hidden />}
      color="yellow"
      title={t('request.title', { partner: partnerName })}
    >
      <Stack>
        <DetailList>
          <DetailItem label={t('request.what')}>{t(`request.${kind}`)}</DetailItem>
          {before && (
            <DetailItem label={t('request.now')}>{termsLabel(before, currency)}</DetailItem>
          )}
          <DetailItem label={t('request.then')}>{termsLabel(after, currency)}</DetailItem>
          <DetailItem label={t('request.added')}>
            {t('request.addedAmount', {
              amount: formatMoney(addedMinor, currency),
              tax: after.taxBehavior,
            })}
          </DetailItem>
          <DetailItem label={t('request.by')}>
            {t('request.byWhom', {
              person: request.requestedBy ?? partnerName,
              day: formatDay(request.requestedAt),
            })}
          </DetailItem>
          <DetailItem label={t('request.until')}>{formatDay(request.expiresAt)}</DetailItem>
        </DetailList>
        <Text size="sm">{t(mayDecide ? 'request.nothingYet' : 'request.ownerDecides')}</Text>
        {mayDecide && (
          <Group gap="xs">
            <Button size="xs" onClick={review.open}>
              {t('request.review')}
            </Button>
            <Button size="xs" variant="default" onClick={asking.open}>
              {t('request.decline')}
            </Button>
          </Group>
        )}
      </Stack>
      <Modal opened={reviewing} onClose={review.close} title={t('approve.title')} size="md">
        {reviewing && <ApproveRequest slug={slug} request={request} onClose={review.close} />}
      </Modal>
      <ConfirmDialog
        opened={declining}
        onClose={asking.close}
        title={t('decline.title')}
        confirmLabel={t('decline.submit')}
        reason="optional"
        reasonNote={t('decline.reasonNote')}
        onConfirm={async (reason) => {
          await decline.mutateAsync({ slug, id, ...(reason !== undefined && { reason }) })
          done(t('decline.done'))
        }}
      >
        {t('decline.effect', { partner: partnerName })}
      </ConfirmDialog>
    </Alert>
  )
}

function Earlier({ items }: { items: readonly ApprovalView[] }) {
  return (
    <section aria-label={t('history.caption')}>
      <Text fw={550} mb={4}>
        {t('history.title')}
      </Text>
      <Stack gap={6}>
        {items.map(({ id, after, currency, addedMinor, status, decidedAt, expiresAt }) => (
          <Group key={id} justify="space-between" gap="xs">
            <Text size="sm">
              {termsLabel(after, currency)}{' '}
              <Text span inherit c="dimmed">
                {t('history.added', { amount: formatMoney(addedMinor, currency) })}
              </Text>
            </Text>
            <Group gap="xs">
              <Text size="sm" c="dimmed">
                {formatDay(decidedAt ?? expiresAt)}
              </Text>
              <StatusBadge {...approvalMeta(status)} />
            </Group>
          </Group>
        ))}
      </Stack>
    </section>
  )
}
