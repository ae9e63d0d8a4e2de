import type { TenantView } from '@atrium/core/tenants/tenants'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTRPC } from '../trpc.ts'

/**
 * The workplace that the address names. Pages below TenantFrame may ask for it: the frame renders
 * them once it is there. Under an access grant the reader acts as an admin, and so does staff of
 * the partner that looks after a workplace until its owner accepts.
 */
export function useTenant(): TenantView {
  const { slug = '' } = useParams({ strict: false })
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.tenants.get.queryOptions({ slug }))
  return data.grant || data.custodian ? { ...data, role: 'admin' } : data
}
