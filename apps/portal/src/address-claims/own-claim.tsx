import { ChangeOwnAddress } from '@atrium/core/address-claims/address-claims'
import { ProblemAlert } from '@atrium/ui/data-states'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { Time } from '@atrium/ui/time'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

const t = translations('portal.address-claims')

/** What a person can do about the claim to the own address; nothing while there is none. */
export function OwnClaim() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const query = useQuery(trpc.addressClaims.own.queryOptions())
  const form = useForm({ initialValues: { email: '' }, validate: zodForm(ChangeOwnAddress) })
  const change = useMutation(
    trpc.addressClaims.change.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries(trpc.addressClaims.own.queryFilter()),
      onError: (error) => {
        const errors = fieldErrors(problemOf(error))
        form.setErrors(errors)
        focusFirstError(errors)
      },
    }),
  )
  const claim = query.data?.claim
  if (!claim) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="lg"
      icon={<IconAlertTriangle aria-hidden />}
      title={t('own.title', { email: claim.email })}
    >
      <Stack gap="sm">
        <Text size="sm">
          {t.rich('own.why', {
            tenant: claim.tenantName,
            domain: claim.domain,
            at: () => <Time at={claim.endsAt} show="absolute" />,
            name: claim.nameAfterwards,
          })}
        </Text>
        <Text size="sm">{t('own.move')}</Text>
        <form
          noValidate
          onSubmit={form.onSubmit((values) => change.mutate(values), focusFirstError)}
        >
          <Group align="flex-end">
            <TextInput
              label={t('own.email')}
              description={t('own.emailHint')}
              type="email"
              autoComplete="email"
              required
              flex="1 1 16rem"
              {...form.getInputProps('email')}
            />
            <Button type="submit" loading={change.isPending}>
              {t('own.send')}
            </Button>
          </Group>
        </form>
        {change.error && problemOf(change.error).issues.length === 0 && (
          <ProblemAlert title={t('own.failed')} error={change.error} />
        )}
        {claim.pendingEmail !== null && (
          <Text size="sm" role="status">
            {t('own.pending', { email: claim.pendingEmail })}
          </Text>
        )}
      </Stack>
    </Alert>
  )
}
