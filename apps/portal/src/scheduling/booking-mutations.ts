import type { TenantBooking } from '@atrium/core/scheduling/bookings'
import { useMutation } from '@atrium/ui/use-mutation'
import { useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../trpc.ts'

/** Lets everything that shows bookings be read again. */
function useBookingsChanged() {
  const trpc = useTRPC()
  const queryClient = useQueryClient()
  return async () => {
    void queryClient.invalidateQueries(trpc.scheduling.hosts.pathFilter())
    void queryClient.invalidateQueries(trpc.scheduling.slots.pathFilter())
    void queryClient.invalidateQueries(trpc.tenants.audit.pathFilter())
    void queryClient.invalidateQueries(trpc.scheduling.bookings.get.pathFilter())
    void queryClient.invalidateQueries(trpc.scheduling.bookings.slots.pathFilter())
    await queryClient.invalidateQueries(trpc.scheduling.bookings.list.pathFilter())
  }
}

/**
 * Everything that the tenant's people can do to a booking. Each rejects with the server's
 * rejection.
 */
export function useBookingActions(slug: string, { id: bookingId }: Pick<TenantBooking, 'id'>) {
  const actions = useTRPC().scheduling.bookings
  // A rejection means that the booking has changed meanwhile, so it is read again then too.
  const onSettled = useBookingsChanged()
  const confirm = useMutation(actions.confirm.mutationOptions({ onSettled }))
  const decline = useMutation(actions.decline.mutationOptions({ onSettled }))
  const cancel = useMutation(actions.cancel.mutationOptions({ onSettled }))
  const reschedule = useMutation(actions.reschedule.mutationOptions({ onSettled }))
  const noShow = useMutation(actions.noShow.mutationOptions({ onSettled }))
  const newLink = useMutation(actions.newLink.mutationOptions({ onSettled }))
  const booking = { slug, bookingId }
  return {
    confirm: () => confirm.mutateAsync(booking),
    decline: (reason: string | undefined) => decline.mutateAsync({ ...booking, reason }),
    cancel: (reason: string) => cancel.mutateAsync({ ...booking, reason }),
    reschedule: (move: {
      start: string
      duration: number
      reason: string | undefined
      anyTime: boolean
    }) =>
      reschedule.mutateAsync({
        ...booking,
        start: move.start,
        duration: move.duration,
        reason: move.reason,
        ignoreNotice: move.anyTime,
        ignoreWindow: move.anyTime,
      }),
    noShow: () => noShow.mutateAsync(booking),
    newLink: () => newLink.mutateAsync(booking),
  }
}
export type BookingActions = ReturnType<typeof useBookingActions>
