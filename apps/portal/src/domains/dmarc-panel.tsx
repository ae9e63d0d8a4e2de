import type { DmarcPolicy, DomainDetail } from '@atrium/core/mail/domains'
import { ProblemAlert } from '@atrium/ui/data-states'
import { DetailItem, DetailList } from '@atrium/ui/detail-list'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
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

const t = translations('portal.domains')

const stages = ['none', 'quarantine', 'reject'] as const satisfies readonly DmarcPolicy[]

interface Props {
  domain: DomainDetail
  editable: boolean
}

/** What receivers do with mail that only pretends to come from the domain, in three stages. */
export function DmarcPanel({ domain, editable }: Props) {
  return (
    <Panel title={t('dmarc.title')} description={t('dmarc.description')}>
      {editable ? <DmarcSettingsForm domain={domain} /> : <DmarcFacts domain={domain} />}
    </Panel>
  )
}

function DmarcFacts({ domain: { dmarc } }: { domain: DomainDetail }) {
  return (
    <DetailList>
      <DetailItem label={t('dmarc.stage')}>{t(`dmarc.stages.${dmarc.policy}.label`)}</DetailItem>
      <DetailItem label={t('dmarc.reportsTo')}>{dmarc.rua}</DetailItem>
      <DetailItem label={t('dmarc.appliedTo')}>
        {t('dmarc.appliedShare', { share: formatPercent(dmarc.pct) })}
      </DetailItem>
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
          done(t('dmarc.saved'))
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
        <Radio.Group label={t('dmarc.stage')} {...form.getInputProps('policy')}>
          <Stack gap="sm" mt="xs">
            {stages.map((policy) => (
              <Radio
                key={policy}
                value={policy}
                label={t(`dmarc.stages.${policy}.label`)}
                description={t(`dmarc.stages.${policy}.hint`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Warnings title={t('dmarc.notYet')} messages={caution ? [caution] : []} />
        <TextInput
          label={t('dmarc.reports')}
          description={t('dmarc.reportsHint')}
          placeholder={`dmarc@${domain.name}`}
          type="email"
          maw={420}
          {...form.getInputProps('rua')}
        />
        {form.values.policy !== 'none' && (
          <NumberInput
            label={t('dmarc.share')}
            description={t('dmarc.shareHint')}
            min={0}
            max={100}
            allowDecimal={false}
            clampBehavior="strict"
            maw={420}
            {...form.getInputProps('pct')}
          />
        )}
        {unplaced !== undefined && (
          <ProblemAlert title={t('dmarc.failed')} error={unplaced} message={explain(unplaced)} />
        )}
        <SaveButtons
          label={t('dmarc.save')}
          saving={set.isPending}
          dirty={form.isDirty()}
          onDiscard={form.reset}
        />
      </Stack>
    </form>
  )
}
