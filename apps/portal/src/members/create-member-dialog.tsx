import type { CreatedMember } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'
import { useReturnedFocus } from '@atrium/ui/returned-focus'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInvalidateInvitations } from '../invitations/use-invalidate-invitations.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import { ClaimLink } from './claim-link.tsx'
import {
  CreateForm,
  type CreateFormValues,
  emptyForm,
  outlookOf,
  toCreateMember,
} from './create-form.ts'
import { useMembersCache } from './mutations.ts'
import { SeatOffer } from './seat-offer.tsx'

const t = translations('portal.members')
const labels = translations('ui.labels')

interface Props {
  tenant: TenantView
  opened: boolean
  onClose: () => void
  onCreated: (response: CreatedMember) => void
}

/** Asks for one new member and makes it: sign-in, mailbox and files. */
export default function CreateMemberDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('add.title')} size="lg">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {props.opened && <MemberFields {...props} />}
    </Modal>
  )
}

// Rejections that are about the address although they name no field.
const aboutAddress = {
  name: 'email',
  codes: [
    'email_taken',
    'email_exists',
    'already_exists',
    'domain_not_verified',
    'address_claim_required',
  ],
}

function MemberFields({ tenant, onClose, onCreated }: Props) {
  useReturnedFocus()
  const trpc = useTRPC()
  const cache = useMembersCache(tenant.slug)
  const form = useForm<CreateFormValues>({
    initialValues: emptyForm,
    validate: zodForm(CreateForm),
  })
  const create = useMutation(
    trpc.members.create.mutationOptions({
      // The response contains a password: the mutation cache must not keep it.
      gcTime: 0,
      onSuccess: (response, { seatRaise }) => {
        if (seatRaise) cache.invalidateSeats()
        cache.learn(response.member)
        cache.forget(response.member.id)
        if (response.oneTimePassword === null)
          done(t('add.joined', { member: response.member.name, tenant: tenant.name }))
        onCreated(response)
      },
      onError: (error, { seatRaise }) => {
        // A seat may have been bought before something else went wrong.
        if (seatRaise) {
          cache.forget()
          cache.invalidateSeats()
        }
        showRejection(form, error, aboutAddress)
      },
    }),
  )
  const invitations = useInvalidateInvitations()
  const invite = useMutation(
    trpc.invitations.inviteMembers.mutationOptions({
      onSuccess: ({ items: [outcome] }) => {
        cache.forget()
        invitations()
        if (!outcome?.invitation) return form.setErrors({ email: outcome?.message ?? '' })
        done(t('add.invited', { email: outcome.email }))
        onClose()
      },
      onError: (error) => showRejection(form, error),
    }),
  )
  /** Outside the domains of the workplace people are invited. */
  const send = (values: CreateFormValues) => {
    const outlook = outlookOf(values.email, tenant.domains, tenant.primaryDomain)
    if (!outlook || outlook.mailbox) return create.mutate(toCreateMember(tenant.slug, values))
    const { email, name, role } = toCreateMember(tenant.slug, values)
    invite.mutate({ slug: tenant.slug, role, invitees: [{ email, ...(name ? { name } : {}) }] })
  }
  const pending = create.isPending || invite.isPending
  const failure = create.error ?? invite.error
  const rejection = problemOf(create.error).code
  const full =
    tenant.seatMode === 'auto' && (rejection === 'seats_exhausted' || rejection === 'quote_expired')
  const unplaced = failure && Object.keys(form.errors).length === 0 && !full
  return (
    <form onSubmit={form.onSubmit(send, focusFirstError)} noValidate>
      <Stack gap="sm">
        <div>
          <TextInput
            label={t('fields.email')}
            description={t('add.emailHint')}
            required
            data-autofocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputMode="email"
            maxLength={254}
            placeholder={
              tenant.primaryDomain
                ? t('add.emailPlaceholder', { domain: tenant.primaryDomain })
                : 'mira@example.com'
            }
            {...form.getInputProps('email')}
          />
          {rejection === 'address_claim_required' && create.variables ? (
            <ClaimLink tenant={tenant} email={create.variables.email} />
          ) : (
            <Outlook text={form.values.email} tenant={tenant} />
          )}
        </div>
        <TextInput
          label={t('fields.name')}
          description={t('add.nameHint')}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput
            label={t('fields.firstName')}
            maxLength={100}
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t('fields.lastName')}
            maxLength={100}
            {...form.getInputProps('lastName')}
          />
          <TextInput
            label={t('fields.phone')}
            type="tel"
            maxLength={32}
            {...form.getInputProps('phone')}
          />
          <TextInput
            label={t('fields.alternativeEmail')}
            type="email"
            maxLength={254}
            {...form.getInputProps('alternativeEmail')}
          />
        </SimpleGrid>
        <Radio.Group label={t('fields.role')} {...form.getInputProps('role')}>
          <Stack gap={6} mt={6}>
            <Radio
              value="member"
              label={labels('roles.member')}
              description={t('add.memberHint')}
            />
            <Radio value="admin" label={labels('roles.admin')} description={t('add.adminHint')} />
          </Stack>
        </Radio.Group>
        {unplaced && (
          <ProblemAlert title={t('add.failed')} error={failure} message={explain(failure)} />
        )}
        {create.isPending && (
          <Text size="sm" c="dimmed" role="status">
            {t('add.working')}
          </Text>
        )}
        {full && (
          <SeatOffer
            tenant={tenant}
            adding={create.isPending}
            onConfirm={(seatRaise) =>
              form.onSubmit(
                (values) => create.mutate({ ...toCreateMember(tenant.slug, values), seatRaise }),
                focusFirstError,
              )()
            }
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={pending}>
            {t('actions.cancel')}
          </Button>
          <Button type="submit" variant={full ? 'default' : 'filled'} loading={pending}>
            {t('add.action')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What the address would become, while it is typed. */
function Outlook({ text, tenant }: { text: string; tenant: TenantView }) {
  const outlook = outlookOf(text, tenant.domains, tenant.primaryDomain)
  return (
    <Text size="sm" c="dimmed" mt={4} mih={22} aria-live="polite">
      {outlook &&
        (outlook.mailbox
          ? t('add.getsMailbox', { address: outlook.address })
          : t('add.getsInvitation', { address: outlook.address }))}
    </Text>
  )
}
