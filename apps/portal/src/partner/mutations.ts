import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Forgets what the browser knows of the partner and its customers, after a change of either. */
export function useInvalidatePartner() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return () => {
    void queryClient.invalidateQueries(trpc.partners.pathFilter())
    void queryClient.invalidateQueries(trpc.tenants.pathFilter())
  }
}
