import type { PartnerView } from '@atrium/core/partners/partners'
import { CopyValue } from '@atrium/ui/copy'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatCount, formatDay, formatPercent } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { amountsText } from '@atrium/ui/partner-status-meta'
import { Time } from '@atrium/ui/time'
import { Warnings } from '@atrium/ui/warnings'
import { SimpleGrid, Stack } from '@mantine/core'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { TerminatePartnerPanel } from './terminate-partner-panel.tsx'

const t = translations('operator.partners')

// The form brings inputs that nothing else on the page needs; it loads when its button is pressed.
const PartnerEditor = lazy(() =>
  import('./partner-editor.tsx').then((part) => ({ default: part.PartnerEditor })),
)

/** The partner's record, each part with the button that changes it. */
export function PartnerOverview({ partner }: { partner: PartnerView }) {
  const editable = partner.status !== 'terminated'
  const { contactInfo, billingInfo, nextMargin } = partner
  const edit = (part: 'contact' | 'billing' | 'record', label: string) =>
    editable && (
      <EditDialog label={label}>
        {(close) => <PartnerEditor partner={partner} part={part} onClose={close} />}
      </EditDialog>
    )
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <Panel title={t('overview.business')}>
          <DetailList>
            <DetailItem label={t('columns.customers')}>
              <LinkAnchor
                to="/partners/$slug"
                params={{ slug: partner.slug }}
                search={{ tab: 'customers' }}
                fz="inherit"
              >
                {formatCount(partner.customers)}
              </LinkAnchor>
            </DetailItem>
            <DetailItem label={t('columns.mrr')}>{amountsText(partner.mrr ?? [])}</DetailItem>
            <DetailItem label={t('columns.margin')}>
              {nextMargin
                ? t('overview.marginThen', {
                    now: formatPercent(partner.marginPct ?? 0),
                    next: formatPercent(nextMargin.marginPct),
                    day: formatDay(nextMargin.effectiveFrom),
                  })
                : formatPercent(partner.marginPct ?? 0)}
            </DetailItem>
            <DetailItem label={t('columns.staff')}>
              <LinkAnchor
                to="/partners/$slug"
                params={{ slug: partner.slug }}
                search={{ tab: 'staff' }}
                fz="inherit"
              >
                {formatCount(partner.staff)}
              </LinkAnchor>
            </DetailItem>
          </DetailList>
        </Panel>
        <Panel title={t('overview.record')} actions={edit('record', t('overview.editRecord'))}>
          <DetailList>
            <DetailItem label={t('fields.name')}>{partner.name}</DetailItem>
            <DetailItem label={t('fields.slug')}>
              <CopyValue label={t('fields.slug')} value={partner.slug} hideLabel />
            </DetailItem>
            <DetailItem label={t('fields.domain')}>{partner.domain}</DetailItem>
            <DetailItem label={t('fields.id')}>
              <CopyValue label={t('fields.id')} value={partner.id} hideLabel />
            </DetailItem>
            <DetailItem label={t('fields.created')}>
              <Time at={partner.createdAt} show="both" />
            </DetailItem>
            <DetailItem label={t('fields.changed')}>
              <Time at={partner.updatedAt} show="both" />
            </DetailItem>
          </DetailList>
        </Panel>
      </Stack>
      <Stack gap="lg">
        <Panel title={t('overview.contact')} actions={edit('contact', t('overview.editContact'))}>
          <DetailList>
            <DetailItem label={t('fields.person')}>{contactInfo.name}</DetailItem>
            <DetailItem label={t('fields.email')}>{contactInfo.email}</DetailItem>
            <DetailItem label={t('fields.phone')}>{contactInfo.phone}</DetailItem>
          </DetailList>
        </Panel>
        <Panel title={t('overview.billing')} actions={edit('billing', t('overview.editBilling'))}>
          <Stack>
            <DetailList>
              <DetailItem label={t('fields.company')}>{billingInfo.company}</DetailItem>
              <DetailItem label={t('fields.vatNumber')}>{billingInfo.vatNumber}</DetailItem>
              <DetailItem label={t('fields.country')}>{billingInfo.country}</DetailItem>
              <DetailItem label={t('fields.email')}>{billingInfo.email}</DetailItem>
            </DetailList>
            <Warnings
              title={t('overview.vatWarnings')}
              messages={partner.warnings.map(({ message }) => message)}
            />
          </Stack>
        </Panel>
        {editable && <TerminatePartnerPanel partner={partner} />}
      </Stack>
    </SimpleGrid>
  )
}
