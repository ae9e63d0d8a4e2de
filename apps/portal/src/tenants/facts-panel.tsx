import type { TenantView } from '@atrium/core/tenants'
import { Fact, Facts } from '@atrium/ui/facts'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { Text } from '@mantine/core'
import * as targets from '../targets.ts'
import { countryName } from './countries.ts'
import classes from './overview.module.css'
import { planStorage, planWords } from './plans.ts'
import { roleNames } from './roles.ts'

/** What a workplace is and has. */
export function FactsPanel({ tenant }: { tenant: TenantView }) {
  const { billingInfo } = tenant
  return (
    <Panel title="About">
      <Facts>
        <Fact label="Plan">
          {planWords[tenant.plan].name}, {planStorage(tenant.plan)} of storage
        </Fact>
        <Fact label="Members">
          <LinkAnchor {...targets.members(tenant.slug)} inherit>
            {formatCount(tenant.memberCount)}
            {tenant.seats > 0 ? ` of ${formatCount(tenant.seats)} seats` : ''}
          </LinkAnchor>
        </Fact>
        <Fact label={tenant.domains.length === 1 ? 'Domain' : 'Domains'}>
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
        </Fact>
        <Fact label="Owner">{tenant.owner && `${tenant.owner.name} (${tenant.owner.email})`}</Fact>
        {tenant.role && <Fact label="Your role">{roleNames[tenant.role]}</Fact>}
        {tenant.partnerSlug && <Fact label="Partner">{tenant.partnerSlug}</Fact>}
        {tenant.industry && <Fact label="Industry">{tenant.industry}</Fact>}
        {tenant.brandColor && (
          <Fact label="Colour">
            <span className={classes.swatch} style={{ background: tenant.brandColor }} aria-hidden />
            {tenant.brandColor}
          </Fact>
        )}
        {billingInfo.company && <Fact label="Billed to">{billingInfo.company}</Fact>}
        {billingInfo.country && <Fact label="Country">{countryName(billingInfo.country)}</Fact>}
        <Fact label="Created">
          <Time at={tenant.createdAt} show="both" />
        </Fact>
      </Facts>
    </Panel>
  )
}
