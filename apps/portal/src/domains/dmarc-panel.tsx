import type { DmarcPolicy, DomainDetail } from '@atrium/core/mail/domains'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { Panel } from '@atrium/ui/panel'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { Warnings } from '@atrium/ui/warnings'
import { zodForm } from '@atrium/ui/zod-form'
import { NumberInput, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { useTenant } from '../tenants/use-tenant.ts'
import {
  DmarcForm,
  type DmarcFormValues,
  dmarcCaution,
  fromDmarc,
  toSetDmarc,
} from './dmarc-form.ts'
import { useSetDmarc } from './mutations.ts'

const stages: readonly { policy: DmarcPolicy; label: string; text: string }[] = [
  {
    policy: 'none',
    label: '1. Watch',
    text: 'Receivers only report. Start here, and read the reports for a few weeks.',
  },
  {
    policy: 'quarantine',
    label: '2. Quarantine',
    text: 'Forged mail goes to spam. Next, when the reports show only your own servers passing.',
  },
  { policy: 'reject', label: '3. Reject', text: 'Forged mail is refused. The goal.' },
]

interface Props {
  domain: DomainDetail
  editable: boolean
}

/** What receivers do with mail that only pretends to come from the domain, in three stages. */
export function DmarcPanel({ domain, editable }: Props) {
  return (
    <Panel
      title="Protection against forged mail"
      description="DMARC, in three stages. After a change, publish the new DMARC record shown above."
    >
      {editable ? <DmarcSettingsForm domain={domain} /> : <DmarcFacts domain={domain} />}
    </Panel>
  )
}

function DmarcFacts({ domain: { dmarc } }: { domain: DomainDetail }) {
  return (
    <DetailList>
      <DetailItem label="Stage">
        {stages.find(({ policy }) => policy === dmarc.policy)?.label}
      </DetailItem>
      <DetailItem label="Reports go to">{dmarc.rua}</DetailItem>
      <DetailItem label="Applied to">{dmarc.pct} % of the mail that fails</DetailItem>
    </DetailList>
  )
}

function DmarcSettingsForm({ domain }: { domain: DomainDetail }) {
  const { slug } = useTenant()
  const set = useSetDmarc(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<DmarcFormValues>({
    initialValues: fromDmarc(domain.dmarc),
    validate: zodForm(DmarcForm),
  })
  useFollowRecord(form, fromDmarc(domain.dmarc))
  const caution = form.isDirty('policy') ? dmarcCaution(domain, form.values.policy) : undefined

  function submit(values: DmarcFormValues) {
    setUnplaced(undefined)
    set.mutate(
      toSetDmarc({ slug, domain: domain.name, expectedVersion: domain.editVersion }, values),
      {
        onSuccess: ({ dmarc }) => {
          form.setInitialValues(fromDmarc(dmarc))
          form.reset()
          done('The policy is saved. Publish the new DMARC record to put it into effect.')
        },
        onError: (error) => {
          if (!showRejection(form, error)) setUnplaced(error)
        },
      },
    )
  }

  return (
    <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
      <Stack>
        <Radio.Group label="Stage" {...form.getInputProps('policy')}>
          <Stack gap="sm" mt="xs">
            {stages.map(({ policy, label, text }) => (
              <Radio key={policy} value={policy} label={label} description={text} />
            ))}
          </Stack>
        </Radio.Group>
        <Warnings title="Not yet" messages={caution ? [caution] : []} />
        <TextInput
          label="Address for reports"
          description="Receivers send a daily summary there. Leave it empty for none."
          placeholder={`dmarc@${domain.name}`}
          type="email"
          maw={420}
          {...form.getInputProps('rua')}
        />
        {form.values.policy !== 'none' && (
          <NumberInput
            label="Share of failing mail, in percent"
            description="Less than 100 to begin gently."
            min={0}
            max={100}
            allowDecimal={false}
            clampBehavior="strict"
            maw={420}
            {...form.getInputProps('pct')}
          />
        )}
        {unplaced !== undefined && (
          <ProblemAlert
            title="The policy was not saved."
            error={unplaced}
            message={explain(unplaced)}
          />
        )}
        <SaveButtons
          label="Save policy"
          saving={set.isPending}
          dirty={form.isDirty()}
          onDiscard={form.reset}
        />
      </Stack>
    </form>
  )
}
