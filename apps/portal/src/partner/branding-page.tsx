import { standardAccentColor } from '@atrium/core/branding/branding'
import type { PartnerBrandingView } from '@atrium/core/partners/partners'
import { hexColor } from '@atrium/core/platform/text'
import { ProblemAlert, QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { focusFirstError } from '@atrium/ui/form-focus'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { SaveButtons } from '@atrium/ui/save-buttons'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Grid, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { AccentColorInput } from '../branding/accent-color-input.tsx'
import {
  BrandingForm,
  type BrandingFormValues,
  changesOf,
  fromBranding,
} from '../branding/branding-form.ts'
import { ColorSample, ContrastNotes } from '../branding/contrast-notes.tsx'
import { showRejection } from '../tenants/rejection.ts'
import { useTRPC } from '../trpc.ts'
import { BrandingPreview } from './branding-preview.tsx'
import { explain } from './status-meta.ts'
import { mayDo, usePartner } from './use-partner.ts'

const t = translations('portal.partner-branding')

/** Default name and colour for customers who have chosen none, with a preview. */
export function PartnerBrandingPage() {
  const partner = usePartner()
  const trpc = useTRPC()
  const query = useQuery(trpc.partners.branding.queryOptions({ slug: partner.slug }))
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { partner: partner.name })}
        description={t('description')}
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && <BrandingContent branding={query.data} />}
    </>
  )
}

function BrandingContent({ branding }: { branding: PartnerBrandingView }) {
  const partner = usePartner()
  const editable = mayDo(partner, 'manageCustomers')
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  const [unplaced, setUnplaced] = useState<unknown>()
  const form = useForm<BrandingFormValues>({
    initialValues: fromBranding(branding),
    validate: zodForm(BrandingForm),
  })
  useFollowRecord(form, fromBranding(branding))
  const update = useMutation(
    trpc.partners.updateBranding.mutationOptions({
      onSuccess: (saved) => {
        queryClient.setQueryData(trpc.partners.branding.queryKey({ slug: partner.slug }), saved)
        form.setInitialValues(fromBranding(saved))
        form.setValues(fromBranding(saved))
        done(t('saved'))
      },
      onError: (error) => {
        if (!showRejection(form, error)) setUnplaced(error)
      },
    }),
  )
  const color =
    form.values.accentColor === ''
      ? standardAccentColor
      : hexColor.safeParse(form.values.accentColor).data

  function submit(values: BrandingFormValues) {
    const changes = changesOf(partner.slug, branding, values)
    setUnplaced(undefined)
    if (!changes) return form.reset()
    update.mutate(changes)
  }

  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title={t('form.title')}>
          <form noValidate onSubmit={form.onSubmit(submit, focusFirstError)}>
            <Stack>
              <TextInput
                label={t('form.productName')}
                description={t('form.productNameHint')}
                placeholder={partner.name}
                maxLength={60}
                disabled={!editable}
                {...form.getInputProps('productName')}
              />
              <AccentColorInput
                label={t('form.accent')}
                description={t('form.accentHint')}
                placeholder={standardAccentColor}
                eyeDropperLabel={t('form.eyeDropper')}
                disabled={!editable}
                {...form.getInputProps('accentColor')}
              />
              {color && (
                <>
                  <ColorSample color={color} label={t('form.sample')} />
                  {editable && (
                    <ContrastNotes
                      color={color}
                      onTake={(nearest) => form.setFieldValue('accentColor', nearest)}
                    />
                  )}
                </>
              )}
              {unplaced !== undefined && (
                <ProblemAlert
                  title={t('form.failed')}
                  error={unplaced}
                  message={explain(unplaced)}
                />
              )}
              {editable && (
                <SaveButtons
                  label={t('form.save')}
                  saving={update.isPending}
                  dirty={form.isDirty()}
                  onDiscard={form.reset}
                />
              )}
            </Stack>
          </form>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Panel title={t('preview.title')} description={t('preview.description')}>
          <BrandingPreview
            name={form.values.productName.trim() || t('preview.customer')}
            color={color ?? branding.effective.accentColor}
          />
        </Panel>
      </Grid.Col>
    </Grid>
  )
}
