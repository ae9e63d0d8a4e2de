import type { InvitationView } from '@atrium/core/invitations/invitations'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { done } from '@atrium/ui/done'
import { formatTime } from '@atrium/ui/format'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { useMutation } from '@atrium/ui/use-mutation'
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconUserQuestion } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { useTRPC } from '../trpc.ts'
import { useInvalidateInvitations } from './use-invalidate-invitations.ts'

const t = translations('portal.tenant-notices')
const shared = translations('ui.invitations')

/** On every page of a workplace whose owner has not accepted yet: who was invited, and when. */
export default function AwaitsOwner({ tenant }: { tenant: TenantView }) {
  const { slug, custodian } = tenant
  const query = useQuery(
    useTRPC().invitations.ofTenant.queryOptions({ slug, kind: 'owner', limit: 1 }),
  )
  const invitation = query.data?.items[0]
  return (
    <Alert
      color="blue"
      icon={<IconUserQuestion aria-hidden />}
      title={t('awaitsOwner.title')}
      mb="lg"
    >
      <Stack gap="xs">
        {custodian && <Text size="sm">{t('awaitsOwner.custodian')}</Text>}
        {query.data && <Text size="sm">{invitationText(invitation)}</Text>}
        <Group gap="xs">
          {invitation && mayResend(invitation) ? (
            <Resend slug={slug} invitation={invitation} />
          ) : (
            query.data && (
              <LinkButton {...links.invitations(slug)} size="xs" variant="default">
                {t('awaitsOwner.invite')}
              </LinkButton>
            )
          )}
          {custodian && (
            <LinkButton {...links.partnerCustomers({ customer: slug })} size="xs" variant="default">
              {t('awaitsOwner.leave')}
            </LinkButton>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

function mayResend({ state }: InvitationView): boolean {
  return state === 'pending' || state === 'opened' || state === 'expired'
}

function invitationText(invitation: InvitationView | undefined): string {
  if (!invitation) return t('awaitsOwner.nobody')
  const { state, email, expiresAt } = invitation
  if (state === 'pending' || state === 'opened')
    return t('awaitsOwner.open', { email, time: formatTime(expiresAt) })
  return t('awaitsOwner.ended', { email, state: shared(`states.${state}`) })
}

function Resend({ slug, invitation }: { slug: string; invitation: InvitationView }) {
  const resend = useMutation(
    useTRPC().invitations.resendOfTenant.mutationOptions({ onSuccess: useInvalidateInvitations() }),
  )
  const { id: invitationId, email } = invitation
  return (
    <>
      <Button
        size="xs"
        loading={resend.isPending}
        onClick={() =>
          resend.mutate(
            { slug, invitationId },
            { onSuccess: () => done(shared('resend.done', { email })) },
          )
        }
      >
        {t('awaitsOwner.resend')}
      </Button>
      {resend.error && (
        <Text size="sm" c="red" role="alert">
          {explain(resend.error) ?? resend.error.message}
        </Text>
      )}
    </>
  )
}
