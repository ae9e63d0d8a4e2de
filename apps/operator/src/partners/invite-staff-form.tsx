import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { partnerAccesses } from '@atrium/core/partners/partner-rights'
import { InviteStaff } from '@atrium/core/partners/partner-team'
import type { PartnerView } from '@atrium/core/partners/partners'
import { done } from '@atrium/ui/done'
import { translations } from '@atrium/ui/messages'
import { accessLabel } from '@atrium/ui/partner-status-meta'
import { problemOf } from '@atrium/ui/problem'
import { Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { FormFooter } from '../parts/edit-dialog.tsx'
import { rejections, validateAs } from '../parts/validation.ts'
import { useInviteStaff } from './mutations.ts'

const t = translations('operator.partners')

interface Props {
  partner: PartnerView
  onClose: () => void
  onInvited: () => void
}

interface Values {
  name: string
  email: string
  access: PartnerAccess
}

/**
 * Invites a person to the staff, who joins by the link in a mail. The first person is preset as
 * owner.
 */
export function InviteStaffForm({ partner, onClose, onInvited }: Props) {
  const invite = useInviteStaff()
  const toInput = (values: Values) => ({ slug: partner.slug, ...values })
  const form = useForm<Values>({
    initialValues: { name: '', email: '', access: partner.staff === 0 ? 'owner' : 'viewer' },
    validate: validateAs(InviteStaff, toInput),
  })
  const { onInvalid, onRejected } = rejections(form)
  const send = form.onSubmit(
    (values) =>
      invite.mutate(toInput(values), {
        onSuccess: () => {
          done(t('staff.invite.done', { email: values.email }))
          onInvited()
        },
        onError: onRejected,
      }),
    onInvalid,
  )
  const unplaced = invite.error && problemOf(invite.error).issues.every(({ path }) => path === '')
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <TextInput
          label={t('fields.name')}
          withAsterisk
          data-autofocus
          autoComplete="off"
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('fields.email')}
          description={t('staff.invite.emailHint')}
          withAsterisk
          type="email"
          autoComplete="off"
          {...form.getInputProps('email')}
        />
        <Radio.Group label={t('staff.access.label')} {...form.getInputProps('access')}>
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
        <FormFooter
          error={unplaced ? invite.error : null}
          submitLabel={t('staff.invite.submit')}
          pending={invite.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  )
}
