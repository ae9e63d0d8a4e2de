import { standardAccentColor } from '@atrium/core/branding/branding'
import type { PartnerBrandingView } from '@atrium/core/partners/partners'
import { hexColor } from '@atrium/core/platform/text'
import { QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { useMutation } from '@atrium/ui/use-mutation'
import { zodForm } from '@atrium/ui/zod-form'
import { Grid } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  BrandingForm,
  type BrandingFormValues,
  changesOf,
  fromBranding,
} from '../branding/branding-form.ts'
import { BrandingPanel } from '../branding/branding-panel.tsx'
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
        <BrandingPanel
          form={form}
          color={color}
          productName={{ hint: t('form.productNameHint'), placeholder: partner.name }}
          accentColor={{ hint: t('form.accentHint'), placeholder: standardAccentColor }}
          editable={editable}
          saving={update.isPending}
          failure={unplaced}
          explain={explain}
          onSubmit={submit}
        />
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
