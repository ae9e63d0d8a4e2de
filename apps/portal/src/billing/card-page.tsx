import type { SetupIntent } from '@atrium/core/billing/billing'
import { ErrorState, LoadingRows } from '@atrium/ui/data-states'
import { LinkButton } from '@atrium/ui/links'
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
        title="Payment card"
        tabTitle={`Payment card of ${tenant.name}`}
        description="Invoices of this workplace are charged to this card."
        actions={
          <LinkButton {...links.billing(tenant.slug)} variant="default">
            Back to billing
          </LinkButton>
        }
      />
      <Panel
        title="Card"
        description="The number goes to the payment processor and never reaches this portal."
      >
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
  if (intent.isPending) return <LoadingRows label="Preparing the card form" rows={3} />
  if (intent.error) {
    return (
      <ErrorState
        title="A card cannot be entered just now."
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
    <Suspense fallback={<LoadingRows label="Loading the card form" rows={3} />}>
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
