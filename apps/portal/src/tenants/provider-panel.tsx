import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { mailtoLink } from '@atrium/ui/mailto'
import { Panel } from '@atrium/ui/panel'
import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Whom the people of a workplace turn to first, where a partner looks after it. */
export function ProviderPanel({ slug }: { slug: string }) {
  const { data } = useQuery(useTRPC().partners.support.queryOptions({ slug }))
  if (!data?.partner) return null
  const { name, supportEmail, supportPhone, supportUrl } = data.partner
  return (
    <Panel title="Your provider" description="Helps you with this workplace.">
      <DetailList>
        <DetailItem label="Name">{name}</DetailItem>
        {supportEmail && (
          <DetailItem label="E-mail">
            <Anchor href={mailtoLink(supportEmail)} inherit>
              {supportEmail}
            </Anchor>
          </DetailItem>
        )}
        {supportPhone && (
          <DetailItem label="Phone">
            <Anchor href={`tel:${supportPhone.replace(/[^+\d]/g, '')}`} inherit>
              {supportPhone}
            </Anchor>
          </DetailItem>
        )}
        {supportUrl && (
          <DetailItem label="Web page">
            <Anchor href={supportUrl} rel="noreferrer" target="_blank" inherit>
              {supportUrl}
            </Anchor>
          </DetailItem>
        )}
      </DetailList>
    </Panel>
  )
}
