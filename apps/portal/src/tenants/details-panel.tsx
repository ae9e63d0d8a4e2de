import type { TenantView } from '@atrium/core/tenants/tenants'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { formatCount } from '@atrium/ui/format'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Time } from '@atrium/ui/time'
import { Text } from '@mantine/core'
import * as links from '../links.ts'
import { countryName } from './countries.ts'
import classes from './overview.module.css'
import { planStorage } from './plans.ts'

const t = translations('portal.tenants')
const labels = translations('ui.labels')

/** What a workplace is and has. */
export function DetailsPanel({ tenant }: { tenant: TenantView }) {
  const { billingInfo } = tenant
  return (
    <Panel title={t('about.title')}>
      <DetailList>
        <DetailItem label={t('about.plan')}>
          {t('about.planStorage', {
            plan: labels(`plans.${tenant.plan}`),
            storage: planStorage(tenant.plan),
          })}
        </DetailItem>
        <DetailItem label={t('about.members')}>
          <LinkAnchor {...links.members(tenant.slug)} inherit>
            {tenant.seats > 0
              ? t('about.memberSeats', {
                  members: formatCount(tenant.memberCount),
                  seats: tenant.seats,
                })
              : formatCount(tenant.memberCount)}
          </LinkAnchor>
        </DetailItem>
        <DetailItem label={t('about.domains', { count: tenant.domains.length })}>
          {tenant.domains.map((domain) => (
            <div key={domain}>
              {domain}
              {domain === tenant.primaryDomain && tenant.domains.length > 1 && (
                <Text span c="dimmed" inherit>
                  {' '}
                  {t('about.mainDomain')}
                </Text>
              )}
            </div>
          ))}
        </DetailItem>
        <DetailItem label={t('about.owner')}>
          {tenant.owner && `${tenant.owner.name} (${tenant.owner.email})`}
        </DetailItem>
        {tenant.role && (
          <DetailItem label={t('about.role')}>{labels(`roles.${tenant.role}`)}</DetailItem>
        )}
        {tenant.partnerSlug && (
          <DetailItem label={t('about.partner')}>{tenant.partnerSlug}</DetailItem>
        )}
        {tenant.industry && <DetailItem label={t('about.industry')}>{tenant.industry}</DetailItem>}
        {tenant.brandColor && (
          <DetailItem label={t('about.colour')}>
            <span
              className={classes.swatch}
              style={{ background: tenant.brandColor }}
              aria-hidden
            />
            {tenant.brandColor}
          </DetailItem>
        )}
        {billingInfo.company && (
          <DetailItem label={t('about.billedTo')}>{billingInfo.company}</DetailItem>
        )}
        {billingInfo.country && (
          <DetailItem label={t('about.country')}>{countryName(billingInfo.country)}</DetailItem>
        )}
        <DetailItem label={t('about.created')}>
          <Time at={tenant.createdAt} show="both" />
        </DetailItem>
      </DetailList>
    </Panel>
  )
}
