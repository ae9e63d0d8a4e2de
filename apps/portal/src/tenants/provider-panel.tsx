import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { mailtoLink } from '@atrium/ui/mailto'
import { translations } from '@atrium/ui/messages'
import { Panel } from '@atrium/ui/panel'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.tenants')

/** Whom the people of a workplace turn to first, where a partner looks after it. */
export function ProviderPanel({ slug }: { slug: string }) {
  const { data } = useQuery(useTRPC().partners.support.queryOptions({ slug }))
  if (!data?.partner) return null
  const { name, supportEmail, supportPhone, supportUrl } = data.partner
  return (
    <Panel title={t('provider.title')} description={t('provider.description')}>
      <DetailList>
        <DetailItem label={t('provider.name')}>{name}</DetailItem>
        {supportEmail && (
          <DetailItem label={t('provider.email')}>
            <Anchor href={mailtoLink(supportEmail)} inherit>
              {supportEmail}
            </Anchor>
          </DetailItem>
        )}
        {supportPhone && (
          <DetailItem label={t('provider.phone')}>
            <Anchor href={`tel:${supportPhone.replace(/[^+\d]/g, '')}`} inherit>
              {supportPhone}
            </Anchor>
          </DetailItem>
        )}
        {supportUrl && (
          <DetailItem label={t('provider.url')}>
            <Anchor href={supportUrl} rel="noreferrer" target="_blank" inherit>
              {supportUrl}
            </Anchor>
          </DetailItem>
        )}
      </DetailList>
    </Panel>
  )
}
