import type { WebApp } from '@atrium/db/users/web-sessions'
import type { AccountFlows } from './config.ts'

/** Where the pages about a person's own sign-in are in each app. */
export const accountPath: Readonly<Record<WebApp, string>> = {
  portal: '/profile/security',
  operator: '/account/security',
}

export function isAccountPage(flows: AccountFlows, page: string): page is keyof AccountFlows {
  return Object.hasOwn(flows, page)
}

/**
 * The address of a flow of authentik that ends at `back`. authentik accepts only a path to go on to
 * (`flows/views/executor.py`, `is_url_absolute`): that of an authorization request leads back to
 * the app, signed in.
 */
export function flowAddress(issuer: string, slug: string, back: string): string {
  // `<origin>/application/o/<slug>/`, perhaps below a path of its own.
  const [base = ''] = issuer.split('application/o/', 1)
  const root = new URL(base)
  const address = new URL(`${root.pathname.replace(/\/?$/, '/')}if/flow/${slug}/`, root)
  const { origin, pathname, search } = new URL(back)
  if (origin === address.origin) address.searchParams.set('next', pathname + search)
  return address.href
}
