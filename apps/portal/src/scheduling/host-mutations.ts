import type { HostView } from '@atrium/core/scheduling/hosts'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Brings what the browser knows of the hosts up to date, and of what depends on them. */
function useHostsChanged(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return async (host?: HostView) => {
    if (host)
      queryClient.setQueryData(trpc.scheduling.hosts.get.queryKey({ slug, hostId: host.id }), host)
    void queryClient.invalidateQueries(trpc.scheduling.eventTypes.pathFilter())
    void queryClient.invalidateQueries(trpc.scheduling.bookings.pathFilter())
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    if (!host) void queryClient.invalidateQueries(trpc.scheduling.hosts.get.pathFilter())
    await queryClient.invalidateQueries(trpc.scheduling.hosts.list.queryFilter({ slug }))
  }
}

export function useCreateHost(slug: string) {
  return useMutation(
    useTRPC().scheduling.hosts.create.mutationOptions({ onSuccess: useHostsChanged(slug) }),
  )
}

export function useUpdateHost(slug: string) {
  return useMutation(
    useTRPC().scheduling.hosts.update.mutationOptions({ onSuccess: useHostsChanged(slug) }),
  )
}

export function useRemoveHost(slug: string) {
  const changed = useHostsChanged(slug)
  return useMutation(
    useTRPC().scheduling.hosts.remove.mutationOptions({ onSuccess: () => changed() }),
  )
}

/**
 * Connects the mailbox of a host. A rejection changes what is known, too: the server may have found
 * out that the old credential is dead.
 */
export function useConnectMailbox(slug: string) {
  const changed = useHostsChanged(slug)
  return useMutation(
    useTRPC().scheduling.hosts.connect.mutationOptions({ onSettled: () => changed() }),
  )
}

export function useDisconnectMailbox(slug: string) {
  const changed = useHostsChanged(slug)
  return useMutation(
    useTRPC().scheduling.hosts.disconnect.mutationOptions({ onSuccess: () => changed() }),
  )
}

export function useCheckMailbox(slug: string) {
  const changed = useHostsChanged(slug)
  return useMutation(
    useTRPC().scheduling.hosts.check.mutationOptions({ onSuccess: () => changed() }),
  )
}

export function useUpdateBookingPage(slug: string) {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return useMutation(
    trpc.scheduling.hosts.updatePage.mutationOptions({
      onSuccess: (page) => {
        queryClient.setQueryData(trpc.scheduling.hosts.page.queryKey({ slug }), page)
        void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
      },
    }),
  )
}
