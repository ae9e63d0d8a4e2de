import type { BrandingView } from '@atrium/core/branding/branding'
import { hexColor } from '@atrium/core/platform/text'
import { QueryState } from '@atrium/ui/data-states'
import { done } from '@atrium/ui/done'
import { useFollowRecord } from '@atrium/ui/follow-record'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { problemOf } from '@atrium/ui/problem'
import { zodForm } from '@atrium/ui/zod-form'
import { Grid, NativeSelect, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDebouncedValue } from '@mantine/hooks'
import { IconForms } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import * as links from '../links.ts'
import { explain } from '../tenants/problems.ts'
import { showRejection } from '../tenants/rejection.ts'
import { mayChange, maySeeSettings } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPC } from '../trpc.ts'
import {
  BrandingForm,
  type BrandingFormValues,
  changesOf,
  draftOf,
  fromBranding,
} from './branding-form.ts'
import { BrandingPanel } from './branding-panel.tsx'
import { MailPreview } from './mail-preview.tsx'
import { useUpdateBranding } from './queries.ts'

const t = translations('portal.branding')

/** Name and colour of the workplace in its mails and pages, with how that looks. */
export function BrandingPage() {
  const tenant = useTenant()
  const trpc = useTRPC()
  const query = useQuery(trpc.branding.get.queryOptions({ slug: tenant.slug }))
  if (!maySeeSettings(tenant.role) || (query.error && problemOf(query.error).status === 403))
    return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('title')}
        tabTitle={t('tabTitle', { tenant: tenant.name })}
        description={t('description')}
        actions={
          <LinkButton
            {...links.mailTexts(tenant.slug)}
            variant="default"
            leftSection={<IconForms size={17} aria-hidden />}
          >
            {t('changeTexts')}
          </LinkButton>
        }
      />
      <QueryState query={query} loading={t('loading')} failed={t('loadFailed')} />
      {query.data && <BrandingContent key={tenant.id} branding={query.data} />}
    </>
  )
}

function BrandingContent({ branding }: { branding: BrandingView }) {
  const tenant = useTenant()
  const { slug } = tenant
  const editable = mayChange(tenant)
  const update = useUpdateBranding(slug)
  const [unplaced, setUnplaced] = useState<unknown>()
  const [template, setTemplate] = useState(branding.templates[0]?.key)
  const form = useForm<BrandingFormValues>({
    initialValues: fromBranding(branding),
    validate: zodForm(BrandingForm),
  })
  useFollowRecord(form, fromBranding(branding))
  const [draft] = useDebouncedValue(draftOf(form.values), 300)
  const color =
    form.values.accentColor === ''
      ? standardColor(branding, tenant.brandColor)
      : hexColor.safeParse(form.values.accentColor).data
  const shown = branding.templates.find(({ key }) => key === template)

  function submit(values: BrandingFormValues) {
    const changes = changesOf(slug, branding, values)
    setUnplaced(undefined)
    if (!changes) return form.reset()
    update.mutate(changes, {
      onSuccess: (saved) => {
        form.setInitialValues(fromBranding(saved))
        form.setValues(fromBranding(saved))
        done(t('saved'))
      },
      onError: (error) => {
        if (!showRejection(form, error)) setUnplaced(error)
      },
    })
  }

  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <BrandingPanel
          form={form}
          color={color}
          productName={{ hint: t('form.productNameHint'), placeholder: tenant.name }}
          accentColor={{ hint: t('form.accentHint'), placeholder: branding.effective.accentColor }}
          editable={editable}
          saving={update.isPending}
          failure={unplaced}
          explain={explain}
          onSubmit={submit}
        />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Panel title={t('preview.title')} description={t('preview.unsaved')}>
          <Stack>
            <NativeSelect
              label={t('message')}
              data={branding.templates.map(({ key, title }) => ({ value: key, label: title }))}
              value={template ?? ''}
              onChange={(event) =>
                setTemplate(
                  branding.templates.find(({ key }) => key === event.currentTarget.value)?.key,
                )
              }
            />
            {shown && (
              <MailPreview input={{ slug, template: shown.key, ...draft }} title={shown.title} />
            )}
          </Stack>
        </Panel>
      </Grid.Col>
    </Grid>
  )
}

/**
 * What is used without an accent colour: the brand colour of the workplace, else what the server
 * falls back to.
 */
function standardColor(branding: BrandingView, brandColor: string | null): string | undefined {
  return brandColor ?? (branding.accentColor === null ? branding.effective.accentColor : undefined)
}
