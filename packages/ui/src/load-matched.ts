import type { AnyRoute, AnyRouteMatch, AnyRouter } from '@tanstack/react-router'

/**
 * Starts to load the scripts of the page that the address names, so that they come while the
 * session is read and not after it. A load that fails is retried, and reported, by the page itself.
 */
export function loadMatched(router: AnyRouter): void {
  const matches: AnyRouteMatch[] = router.matchRoutes(router.latestLocation)
  for (const { routeId } of matches) {
    const route: AnyRoute | undefined = router.routesById[routeId]
    if (route) router.loadRouteChunk(route)?.catch(() => undefined)
  }
}

/**
 * Removes the frame of index.html once a page is there. The style sheet hides it before that, in
 * the paint that shows the page.
 */
export function removeLoadingFrame(router: AnyRouter): void {
  const unsubscribe = router.subscribe('onResolved', () => {
    unsubscribe()
    document.querySelector('.app-loading')?.remove()
  })
}

/**
 * The slug in the address when it leads to the route with this id or below it. For `beforeLoad` of
 * a route above it, whose types know no parameter of the routes below.
 */
export function slugUnder(
  routeId: string,
  matches: readonly Pick<AnyRouteMatch, 'routeId' | 'params'>[],
): string | undefined {
  const slug: unknown = matches.find((match) => match.routeId === routeId)?.params.slug
  return typeof slug === 'string' ? slug : undefined
}
