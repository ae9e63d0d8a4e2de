import type { TenantView } from '@atrium/core/tenants/tenants'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { Text } from '@mantine/core'
import * as links from '../links.ts'
import { countryName } from './countries.ts'
import classes from './overview.module.css'
import { planLabels, planStorage } from './plans.ts'
import { roleNames } from './roles.ts'

/** What a workplace is and has. */
export function DetailsPanel({ tenant }: { tenant: TenantView }) {
  const { billingInfo } = tenant
  return (
    <Panel title="About">
      <DetailList>
        <DetailItem label="Plan">
          {planLabels[tenant.plan].name}, {planStorage(tenant.plan)} of storage
        </DetailItem>
        <DetailItem label="Members">
          <LinkAnchor {...links.members(tenant.slug)} inherit>
            {formatCount(tenant.memberCount)}
            {tenant.seats > 0 ? ` of ${formatCount(tenant.seats)} seats` : ''}
          </LinkAnchor>
        </DetailItem>
        <DetailItem label={tenant.domains.length === 1 ? 'Domain' : 'Domains'}>
          {tenant.domains.map((domain) => (
            <div key={domain}>
              {domain}
              {domain === tenant.primaryDomain && tenant.domains.length > 1 && (
                <Text span c="dimmed" inherit>
                  {' '}
                  (main)
                </Text>
              )}
            </div>
          ))}
        </DetailItem>
        <DetailItem label="Owner">
          {tenant.owner && `${tenant.owner.name} (${tenant.owner.email})`}
        </DetailItem>
        {tenant.role && <DetailItem label="Your role">{roleNames[tenant.role]}</DetailItem>}
        {tenant.partnerSlug && <DetailItem label="Partner">{tenant.partnerSlug}</DetailItem>}
        {tenant.industry && <DetailItem label="Industry">{tenant.industry}</DetailItem>}
        {tenant.brandColor && (
          <DetailItem label="Colour">
            <span
              className={classes.swatch}
              style={{ background: tenant.brandColor }}
              aria-hidden
            />
            {tenant.brandColor}
          </DetailItem>
        )}
        {billingInfo.company && <DetailItem label="Billed to">{billingInfo.company}</DetailItem>}
        {billingInfo.country && (
          <DetailItem label="Country">{countryName(billingInfo.country)}</DetailItem>
        )}
        <DetailItem label="Created">
          <Time at={tenant.createdAt} show="both" />
        </DetailItem>
      </DetailList>
    </Panel>
  )
}
