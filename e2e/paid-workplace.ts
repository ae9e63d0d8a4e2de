import { expect, inject } from 'vitest'
import type { WorkplaceAddresses } from './workplace.ts'

/** Calls the API with this token and returns the body of its answer. */
export async function call(
  token: string,
  method: string,
  path: string,
  body?: object,
  at: Pick<WorkplaceAddresses, 'api'> = inject('workplace'),
) {
  const response = await fetch(`${at.api}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  expect(response.ok, `${path} ${response.status} ${text}`).toBe(true)
  return JSON.parse(text)
}

/** Calls the control address of the sandbox. */
export async function control(
  path: string,
  body: object,
  at: Pick<WorkplaceAddresses, 'control'> = inject('workplace'),
): Promise<Record<string, string>> {
  const response = await fetch(`${at.control}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok, `${path} ${response.status}`).toBe(true)
  return JSON.parse(await response.text())
}

export async function tokenOf(
  email: string,
  app: 'portal' | 'operator' = 'portal',
  at: Pick<WorkplaceAddresses, 'control'> = inject('workplace'),
) {
  return (await control('/tokens', { email, app }, at)).accessToken ?? ''
}

interface WithCard {
  name: string
  slug: string
  partnerSlug?: string
  at?: WorkplaceAddresses
}

/** A workplace of Anna's with a card and no subscription. Returns her token. */
export async function makeWorkplaceWithCard({
  name,
  slug,
  partnerSlug,
  at = inject('workplace'),
}: WithCard) {
  const owner = await tokenOf('owner@acme.test', 'portal', at)
  await call(owner, 'POST', '/tenants', { name, slug }, at)
  if (partnerSlug !== undefined) {
    const operator = await tokenOf('operator@atrium.test', 'operator', at)
    const { items } = await call(operator, 'GET', '/partners', undefined, at)
    const { id } = items.find((partner: { slug: string }) => partner.slug === partnerSlug)
    await call(operator, 'PATCH', `/tenants/${slug}`, { partnerId: id }, at)
  }
  const billing = `/tenants/${slug}/billing`
  const { clientSecret } = await call(owner, 'POST', `${billing}/setup-intent`, undefined, at)
  const [setupIntent = ''] = clientSecret.split('_secret_')
  const card = '4242424242424242'
  await control('/payments/actions', { action: 'confirm_setup', setupIntent, card }, at)
  await call(owner, 'PUT', `${billing}/payment-method`, { setupIntentId: setupIntent }, at)
  return owner
}

/** A workplace of Anna's with a card and a monthly subscription in euros. */
export async function makePaidWorkplace({
  plan,
  seats,
  ...workplace
}: WithCard & { plan: string; seats: number }) {
  const owner = await makeWorkplaceWithCard(workplace)
  const terms = { plan, cycle: 'month', currency: 'eur', seats }
  await call(owner, 'POST', `/tenants/${workplace.slug}/subscription`, terms, workplace.at)
  return owner
}
