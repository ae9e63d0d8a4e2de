import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import { InviteStaff } from '@atrium/core/partners/partner-team'
import { ProblemAlert } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInvalidateInvitations } from '../invitations/use-invalidate-invitations.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import { useInvalidatePartner } from './mutations.ts'
import { explain } from './status-meta.ts'
import { usePartner } from './use-partner.ts'

const t = translations('portal.partner-staff')
const frame = translations('ui.frame')

interface Props {
  opened: boolean
  onClose: () => void
  onInvited: () => void
}

interface Values {
  name: string
  email: string
  access: PartnerAccess
}

const InviteForm = InviteStaff.omit({ slug: true })
const emptyForm: Values = { name: '', email: '', access: 'viewer' }

/** Invites a new person to the staff, who joins by the link in a mail. */
export function InviteStaffDialog(props: Props) {
  return (
    <Modal opened={props.opened} onClose={props.onClose} title={t('invite.title')} size="md">
      {/* Mounted with each opening, so that nothing typed before is left in it. */}
      {props.opened && <InviteFields {...props} />}
    </Modal>
  )
}

function InviteFields({ onClose, onInvited }: Props) {
  const partner = usePartner()
  const trpc = useTRPC()
  const forget = useInvalidatePartner()
  const invitations = useInvalidateInvitations()
  const form = useForm<Values>({ initialValues: emptyForm, validate: zodForm(InviteForm) })
  const invite = useMutation(
    trpc.partners.inviteStaff.mutationOptions({
      onSuccess: () => {
        forget()
        invitations()
        done(t('invite.done', { email: form.values.email }))
        onInvited()
      },
      onError: (error) =>
        showRejection(form, error, {
          name: 'email',
          codes: ['email_exists', 'already_exists', 'email_taken'],
        }),
    }),
  )
  const unplaced = invite.error && Object.keys(form.errors).length === 0
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(
        (values) => invite.mutate({ slug: partner.slug, ...values }),
        focusFirstError,
      )}
    >
      <Stack>
        <TextInput
          label={t('invite.name')}
          required
          data-autofocus
          maxLength={200}
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('invite.email')}
          description={t('invite.emailHint')}
          required
          type="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <Radio.Group label={t('invite.access')} {...form.getInputProps('access')}>
          <Stack gap={8} mt={6}>
            {partnerAccesses.map((access) => (
              <Radio
                key={access}
                value={access}
                label={accessLabel(access).name}
                description={accessLabel(access).may}
              />
            ))}
          </Stack>
        </Radio.Group>
        {unplaced && (
          <ProblemAlert
            title={t('invite.failed')}
            error={invite.error}
            message={explain(invite.error)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={invite.isPending}>
            {frame('cancel')}
          </Button>
          <Button type="submit" loading={invite.isPending}>
            {t('invite.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
