import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import * as links from '../links.ts'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.address-claims')

/** Confirms a new address with the token behind the hash sign, when the person asks for it. */
export function ConfirmAddressPage() {
  const trpc = useTRPC()
  const router = useRouter()
  const queryClient = useQueryClient()
  const [token] = useState(() => window.location.hash.slice(1))
  const confirm = useMutation(
    trpc.addressClaims.confirm.mutationOptions({
      onSuccess: async () => {
        done(t('confirm.done'))
        await queryClient.invalidateQueries()
        await router.navigate({ ...links.profile, replace: true })
      },
    }),
  )
  return (
    <>
      <PageHeader title={t('confirm.title')} />
      <Panel title={t('confirm.panel')}>
        <Stack>
          <Text size="sm">{token === '' ? t('confirm.incomplete') : t('confirm.hint')}</Text>
          {confirm.error && <ProblemAlert title={t('confirm.failed')} error={confirm.error} />}
          <Group>
            {token !== '' && (
              <Button loading={confirm.isPending} onClick={() => confirm.mutate({ token })}>
                {t('confirm.action')}
              </Button>
            )}
            <LinkButton {...links.profile} variant="default">
              {t('confirm.profile')}
            </LinkButton>
          </Group>
        </Stack>
      </Panel>
    </>
  )
}
