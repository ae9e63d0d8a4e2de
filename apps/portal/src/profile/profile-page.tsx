import type { UserView } from '@atrium/core/users/users'
import { languageNames } from '@atrium/messages/languages'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { LanguageSelect } from '@atrium/ui/language-select'
import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { followLanguage } from '@atrium/ui/page-language'
import { Panel } from '@atrium/ui/panel'
import { fieldErrors, problemOf } from '@atrium/ui/problem'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { Time } from '@atrium/ui/time'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Grid, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { OwnClaim } from '../address-claims/own-claim.tsx'
import { OwnInvitations } from '../invitations/own-invitations.tsx'
import * as links from '../links.ts'

import { useTRPC } from '../trpc.ts'
import { ContactForm, type ContactValues, changesOf, fromUser } from './contact-form.ts'
import { PartnerHint } from './partner-hint.tsx'
import { useProfile } from './use-profile.ts'

const t = translations('portal.profile')
const labels = translations('ui.labels')

/** Who is signed in, and what they may change about themselves. */
export function ProfilePage() {
  const { me, tenants } = useProfile()
  return (
    <>
      <PageHeader title={t('title')} description={t('description')} />
      <OwnClaim />
      <PartnerHint me={me} />
      <OwnInvitations />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <ContactPanel me={me} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Panel title={t('account.title')}>
            <DetailList>
              <DetailItem label={t('account.email')}>{me.email}</DetailItem>
              <DetailItem label={t('account.since')}>
                <Time at={me.createdAt} show="absolute" />
              </DetailItem>
              <DetailItem label={t('account.workplaces', { count: tenants.length })}>
                {tenants.map((tenant) => (
                  <div key={tenant.id}>
                    <LinkAnchor {...links.overview(tenant.slug)} inherit>
                      {tenant.name}
                    </LinkAnchor>
                    <Text span c="dimmed" inherit>
                      {' '}
                      ({labels(`roles.${tenant.role}`)})
                    </Text>
                  </div>
                ))}
                {tenants.length === 0 && t('account.noWorkplaces')}
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
  const inTenants = me.tenants.map(({ language }) => language).find((language) => language !== null)
  const update = useMutation(
    trpc.users.update.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.users.me.queryKey(), saved)
        form.setInitialValues(fromUser(saved))
        form.reset()
        done(t('contact.saved'))
        followLanguage(saved)
      },
      onError: (error) => {
        const errors = fieldErrors(problemOf(error))
        form.setErrors(errors)
        focusFirstError(errors)
      },
    }),
  )
  return (
    <Panel title={t('contact.title')}>
      <form
        noValidate
        onSubmit={form.onSubmit((values) => {
          const changes = changesOf(me, values)
          if (changes) update.mutate(changes)
        }, focusFirstError)}
      >
        <Stack>
          <TextInput
            label={t('contact.name')}
            required
            autoComplete="name"
            maxLength={200}
            {...form.getInputProps('name')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <TextInput
              label={t('contact.firstName')}
              autoComplete="given-name"
              maxLength={100}
              {...form.getInputProps('firstName')}
            />
            <TextInput
              label={t('contact.lastName')}
              autoComplete="family-name"
              maxLength={100}
              {...form.getInputProps('lastName')}
            />
          </SimpleGrid>
          <TextInput
            label={t('contact.phone')}
            type="tel"
            autoComplete="tel"
            placeholder="+49 30 1234567"
            {...form.getInputProps('phone')}
          />
          <TextInput
            label={t('contact.alternativeEmail')}
            description={t('contact.alternativeEmailHint')}
            type="email"
            autoComplete="email"
            {...form.getInputProps('alternativeEmail')}
          />
          <LanguageSelect
            label={t('language.label')}
            description={t('language.hint')}
            unset={
              inTenants
                ? t('language.asInWorkplace', { language: languageNames[inTenants] })
                : t('language.ofBrowser')
            }
            {...form.getInputProps('language')}
          />
          {update.error && problemOf(update.error).issues.length === 0 && (
            <ProblemAlert title={t('contact.saveFailed')} error={update.error} />
          )}
          <SaveButtons
            label={t('contact.save')}
            saving={update.isPending}
            dirty={form.isDirty()}
            onDiscard={form.reset}
          />
        </Stack>
      </form>
    </Panel>
  )
}
