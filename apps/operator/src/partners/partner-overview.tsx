import type { PartnerView } from '@atrium/core/partners/partners'
import { CopyValue } from '@atrium/ui/copy'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatCount, formatDay } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { amountsText } from '@atrium/ui/partner-status-meta'
import { Time } from '@atrium/ui/time'
import { Warnings } from '@atrium/ui/warnings'
import { SimpleGrid, Stack } from '@mantine/core'
import { lazy } from 'react'
import { EditDialog } from '../parts/edit-dialog.tsx'
import { TerminatePartnerPanel } from './terminate-partner-panel.tsx'

// The form brings inputs that nothing else on the page needs; it loads when its button is pressed.
const PartnerEditor = lazy(() =>
  import('./partner-editor.tsx').then((part) => ({ default: part.PartnerEditor })),
)

/** Everything that is stored of a partner, each part with the way to change it. */
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
        <Panel title="Business">
          <DetailList>
            <DetailItem label="Customers">
              <LinkAnchor
                to="/partners/$slug"
                params={{ slug: partner.slug }}
                search={{ tab: 'customers' }}
                fz="inherit"
              >
                {formatCount(partner.customers)}
              </LinkAnchor>
            </DetailItem>
            <DetailItem label="MRR">{amountsText(partner.mrr ?? [])}</DetailItem>
            <DetailItem label="Margin">
              {`${partner.marginPct ?? 0} %`}
              {nextMargin &&
                `, ${nextMargin.marginPct} % from ${formatDay(nextMargin.effectiveFrom)}`}
            </DetailItem>
            <DetailItem label="Staff">
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
        <Panel title="Record" actions={edit('record', 'Edit record')}>
          <DetailList>
            <DetailItem label="Name">{partner.name}</DetailItem>
            <DetailItem label="Slug">
              <CopyValue label="Slug" value={partner.slug} hideLabel />
            </DetailItem>
            <DetailItem label="Domain">{partner.domain}</DetailItem>
            <DetailItem label="Partner id">
              <CopyValue label="Partner id" value={partner.id} hideLabel />
            </DetailItem>
            <DetailItem label="Created">
              <Time at={partner.createdAt} show="both" />
            </DetailItem>
            <DetailItem label="Changed">
              <Time at={partner.updatedAt} show="both" />
            </DetailItem>
          </DetailList>
        </Panel>
      </Stack>
      <Stack gap="lg">
        <Panel title="Contact" actions={edit('contact', 'Edit contact')}>
          <DetailList>
            <DetailItem label="Person">{contactInfo.name}</DetailItem>
            <DetailItem label="E-mail">{contactInfo.email}</DetailItem>
            <DetailItem label="Phone">{contactInfo.phone}</DetailItem>
          </DetailList>
        </Panel>
        <Panel title="Billing details" actions={edit('billing', 'Edit billing details')}>
          <Stack>
            <DetailList>
              <DetailItem label="Company">{billingInfo.company}</DetailItem>
              <DetailItem label="VAT number">{billingInfo.vatNumber}</DetailItem>
              <DetailItem label="Country">{billingInfo.country}</DetailItem>
              <DetailItem label="E-mail">{billingInfo.email}</DetailItem>
            </DetailList>
            <Warnings
              title="About the VAT number"
              messages={partner.warnings.map(({ message }) => message)}
            />
          </Stack>
        </Panel>
        {editable && <TerminatePartnerPanel partner={partner} />}
      </Stack>
    </SimpleGrid>
  )
}
