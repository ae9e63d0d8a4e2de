import type { UserView } from '@atrium/core/users/users'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { LinkAnchor } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { Time } from '@atrium/ui/time'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Grid, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import * as links from '../links.ts'
import { roleNames } from '../tenants/roles.ts'
import { useTRPC } from '../trpc.ts'
import { ContactForm, type ContactValues, changesOf, fromUser } from './contact-form.ts'
import { PartnerHint } from './partner-hint.tsx'
import { useProfile } from './use-profile.ts'

/** Who is signed in, and what they may change about themselves. */
export function ProfilePage() {
  const { me, tenants } = useProfile()
  return (
    <>
      <PageHeader title="My profile" description="How others see you, and how to reach you." />
      <PartnerHint me={me} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <ContactPanel me={me} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Panel title="Account">
            <DetailList>
              <DetailItem label="Signs in as">{me.email}</DetailItem>
              <DetailItem label="Since">
                <Time at={me.createdAt} show="absolute" />
              </DetailItem>
              <DetailItem label={tenants.length === 1 ? 'Workplace' : 'Workplaces'}>
                {tenants.map((tenant) => (
                  <div key={tenant.id}>
                    <LinkAnchor {...links.overview(tenant.slug)} inherit>
                      {tenant.name}
                    </LinkAnchor>
                    <Text span c="dimmed" inherit>
                      {' '}
                      ({roleNames[tenant.role]})
                    </Text>
                  </div>
                ))}
                {tenants.length === 0 && 'None yet'}
              </DetailItem>
            </DetailList>
          </Panel>
        </Grid.Col>
      </Grid>
    </>
  )
}

function ContactPanel({ me }: { me: UserView }) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const form = useForm<ContactValues>({
    initialValues: fromUser(me),
    validate: zodForm(ContactForm),
  })
  useFollowRecord(form, fromUser(me))
  const update = useMutation(
    trpc.users.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.users.me.queryKey(), saved)
        form.setInitialValues(fromUser(saved))
        form.reset()
        done('Your profile is saved.')
      },
      onError: (error) => {
        const errors = fieldErrors(problemOf(error))
        form.setErrors(errors)
        focusFirstError(errors)
      },
    }),
  )
  return (
    <Panel title="Contact">
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          const changes = changesOf(me, values)
          if (changes) update.mutate(changes)
        }, focusFirstError)}
      >
        <Stack>
          <TextInput
            label="Display name"
            required
            autoComplete="name"
            maxLength={200}
            {...form.getInputProps('name')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label="First name"
              autoComplete="given-name"
              maxLength={100}
              {...form.getInputProps('firstName')}
            />
            <TextInput
              label="Last name"
              autoComplete="family-name"
              maxLength={100}
              {...form.getInputProps('lastName')}
            />
          </SimpleGrid>
          <TextInput
            label="Phone"
            type="tel"
            autoComplete="tel"
            placeholder="+49 30 1234567"
            {...form.getInputProps('phone')}
          />
          <TextInput
            label="Alternative e-mail"
            description="Used to reach you when your mailbox cannot."
            type="email"
            autoComplete="email"
            {...form.getInputProps('alternativeEmail')}
          />
          {update.error && problemOf(update.error).issues.length === 0 && (
            <ProblemAlert title="Your profile was not saved." error={update.error} />
          )}
          <SaveButtons
            label="Save changes"
            saving={update.isPending}
            dirty={form.isDirty()}
            onDiscard={form.reset}
          />
        </Stack>
      </form>
    </Panel>
  )
}
