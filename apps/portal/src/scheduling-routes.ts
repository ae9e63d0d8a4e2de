import { withMessages } from '@atrium/ui/messages'
import { type AnyRoute, createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import * as links from './links.ts'

/**
 * The booking pages of a workplace, in a frame with their navigation. Pages read their own search
 * parameters.
 */
export function schedulingRoutes(tenant: AnyRoute) {
  const area = createRoute({
    getParentRoute: () => tenant,
    path: '/scheduling',
    component: lazyRouteComponent(
      () => import('./scheduling/scheduling-frame.tsx'),
      'SchedulingFrame',
    ),
  })
  const getParentRoute = () => area
  return area.addChildren([
    createRoute({
      getParentRoute,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ ...links.bookings((params as { slug: string }).slug), replace: true })
      },
    }),
    createRoute({
      getParentRoute,
      path: '/bookings',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./scheduling/bookings-page.tsx'),
            'portal.scheduling',
            'portal.scheduling-bookings',
          ),
        'BookingsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/event-types',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./scheduling/event-types-page.tsx'),
            'portal.scheduling',
            'portal.scheduling-event-types',
            'ui.issues',
          ),
        'EventTypesPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/event-types/$eventTypeId',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./scheduling/event-type-page.tsx'),
            'portal.scheduling',
            'portal.scheduling-event-types',
            'ui.issues',
          ),
        'EventTypePage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/availability',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./scheduling/availability-page.tsx'),
            'portal.scheduling',
            'portal.scheduling-availability',
            'ui.issues',
          ),
        'AvailabilityPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/hosts',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./scheduling/hosts-page.tsx'),
            'portal.scheduling',
            'portal.scheduling-hosts',
            'ui.issues',
          ),
        'HostsPage',
      ),
    }),
    createRoute({
      getParentRoute,
      path: '/page',
      component: lazyRouteComponent(
        () =>
          withMessages(
            import('./scheduling/booking-page-page.tsx'),
            'portal.scheduling',
            'portal.scheduling-booking-page',
            'ui.issues',
          ),
        'BookingPagePage',
      ),
    }),
  ])
}
