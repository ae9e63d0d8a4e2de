import type { SetupIntent } from '@atrium/core/billing/billing'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { PageHeader } from '@atrium/ui/page-header'
import { Panel } from '@atrium/ui/panel'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import * as links from '../links.ts'
import { mayChange } from '../tenants/roles.ts'
import { NoAccess } from '../tenants/tenant-frame.tsx'
import { useTenant } from '../tenants/use-tenant.ts'
import { useTRPCClient } from '../trpc.ts'
import { LocalForm, NoKey } from './card-form.tsx'

const t = translations('portal.billing')

const StripeForm = lazy(() => import('./stripe-form.tsx'))

/**
 * The one page that may load the payment processor's form. What was entered is made the default on
 * the billing page, to which it leads.
 */
export function CardPage() {
  const tenant = useTenant()
  if (!mayChange(tenant)) return <NoAccess slug={tenant.slug} />
  return (
    <>
      <PageHeader
        title={t('cardPage.title')}
        tabTitle={t('cardPage.tabTitle', { tenant: tenant.name })}
        description={t('cardPage.description')}
        actions={
          <LinkButton {...links.billing(tenant.slug)} variant="default">
            {t('cardPage.back')}
          </LinkButton>
        }
      />
      <Panel title={t('card.title')} description={t('cardPage.hint')}>
        <CardEntry slug={tenant.slug} />
      </Panel>
    </>
  )
}

function CardEntry({ slug }: { slug: string }) {
  const client = useTRPCClient()
  // Begins an entry once per visit: a second one would be left behind at the processor.
  const intent = useQuery({
    queryKey: ['card-entry', slug],
    queryFn: () => client.billing.createSetupIntent.mutate({ slug }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (intent.isPending) return <LoadingRows label={t('cardPage.preparing')} rows={3} />
  if (intent.error) {
    return (
      <ErrorState
        title={t('cardPage.failed')}
        error={intent.error}
        onRetry={() => void intent.refetch()}
        retrying={intent.isFetching}
      />
    )
  }
  return <Form slug={slug} intent={intent.data} />
}

function Form({ slug, intent }: { slug: string; intent: SetupIntent }) {
  const navigate = useNavigate()
  if (intent.cardFormUrl !== null) return <LocalForm address={intent.cardFormUrl} />
  if (intent.publishableKey === null) return <NoKey />
  return (
    <Suspense fallback={<LoadingRows label={t('cardPage.loading')} rows={3} />}>
      <StripeForm
        publishableKey={intent.publishableKey}
        clientSecret={intent.clientSecret}
        returnAddress={`${window.location.origin}/t/${encodeURIComponent(slug)}/billing`}
        onEntered={(entered) =>
          void navigate({
            ...links.billing(slug, { setup_intent: entered, redirect_status: 'succeeded' }),
            replace: true,
          })
        }
      />
    </Suspense>
  )
}
