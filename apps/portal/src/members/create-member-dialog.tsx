import type { CreatedMember } from '@atrium/core/members/members'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { problemOf } from '@atrium/ui/problem'
import { useReturnedFocus } from '@atrium/ui/returned-focus'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import {
  CreateForm,
  type CreateFormValues,
  emptyForm,
  outlookOf,
  toCreateMember,
} from './create-form.ts'
import { useMembersCache } from './mutations.ts'
import { SeatOffer } from './seat-offer.tsx'

interface Props {
  tenant: TenantView
  opened: boolean
  onClose: () => void
  onCreated: (response: CreatedMember) => void
}

/** Asks for one new member and makes it: sign-in, mailbox and files. */
export default function CreateMemberDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title="Add a member" size="lg">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {props.opened && <MemberFields {...props} />}
    </Modal>
  )
}

// Rejections that are about the address although they name no field.
const aboutAddress = {
  name: 'email',
  codes: ['email_taken', 'email_exists', 'already_exists', 'domain_not_verified'],
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
      // The answer holds a password: the cache of mutations must not keep it.
      gcTime: 0,
      onSuccess: (response, { seatRaise }) => {
        if (seatRaise) cache.invalidateSeats()
        cache.learn(response.member)
        cache.forget(response.member.id)
        if (response.member.invited) done(`An invitation was sent to ${response.member.email}.`)
        else if (response.oneTimePassword === null)
          done(`${response.member.name} belongs to ${tenant.name} now, and signs in as before.`)
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
  const rejection = problemOf(create.error).code
  const full =
    tenant.seatMode === 'auto' && (rejection === 'seats_exhausted' || rejection === 'quote_expired')
  const unplaced = create.error && Object.keys(form.errors).length === 0 && !full
  return (
    <form
      onSubmit={form.onSubmit(
        (values) => create.mutate(toCreateMember(tenant.slug, values)),
        focusFirstError,
      )}
      noValidate
    >
      <Stack gap="sm">
        <div>
          <TextInput
            label="E-mail address"
            description="A name for an address here, or a whole address."
            required
            data-autofocus
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputMode="email"
            maxLength={254}
            placeholder={
              tenant.primaryDomain ? `mira or mira@${tenant.primaryDomain}` : 'mira@example.com'
            }
            {...form.getInputProps('email')}
          />
          <Outlook text={form.values.email} tenant={tenant} />
        </div>
        <TextInput
          label="Display name"
          description="Without one the names below are used."
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <TextInput label="First name" maxLength={100} {...form.getInputProps('firstName')} />
          <TextInput label="Last name" maxLength={100} {...form.getInputProps('lastName')} />
          <TextInput label="Phone" type="tel" maxLength={32} {...form.getInputProps('phone')} />
          <TextInput
            label="Alternative e-mail"
            type="email"
            maxLength={254}
            {...form.getInputProps('alternativeEmail')}
          />
        </SimpleGrid>
        <Radio.Group label="Role" {...form.getInputProps('role')}>
          <Stack gap={6} mt={6}>
            <Radio value="member" label="Member" description="Uses mail and files." />
            <Radio
              value="admin"
              label="Admin"
              description="Also manages members, domains, apps and rules."
            />
          </Stack>
        </Radio.Group>
        {unplaced && (
          <ProblemAlert
            title="The member was not added."
            error={create.error}
            message={explain(create.error)}
          />
        )}
        {create.isPending && (
          <Text size="sm" c="dimmed" role="status">
            Setting up sign-in, mailbox and files. This takes a few seconds.
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
          <Button variant="default" onClick={onClose} disabled={create.isPending}>
            Cancel
          </Button>
          <Button type="submit" variant={full ? 'default' : 'filled'} loading={create.isPending}>
            Add member
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
          ? `Gets the mailbox ${outlook.address}.`
          : `An invitation is sent to ${outlook.address}. No mailbox is made here.`)}
    </Text>
  )
}
