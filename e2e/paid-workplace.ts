import { expect, inject } from 'vitest'

/** Calls the API with this token and returns the body of its answer. */
export async function call(token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${inject('workplace').api}${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  expect(response.ok, `${path} ${response.status} ${text}`).toBe(true)
  return JSON.parse(text)
}

/** Calls the control address of the sandbox. */
export async function control(path: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(`${inject('workplace').control}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok, `${path} ${response.status}`).toBe(true)
  return JSON.parse(await response.text())
}

export async function tokenOf(email: string, app: 'portal' | 'operator' = 'portal') {
  return (await control('/tokens', { email, app })).accessToken ?? ''
}

interface WithCard {
  name: string
  slug: string
  partnerSlug?: string
}

/** A workplace of Anna's with a card and no subscription. Returns her token. */
export async function makeWorkplaceWithCard({ name, slug, partnerSlug }: WithCard) {
  const owner = await tokenOf('owner@acme.test')
  await call(owner, 'POST', '/tenants', { name, slug })
  if (partnerSlug !== undefined) {
    const operator = await tokenOf('operator@atrium.test', 'operator')
    const { items } = await call(operator, 'GET', '/partners')
    const { id } = items.find((partner: { slug: string }) => partner.slug === partnerSlug)
    await call(operator, 'PATCH', `/tenants/${slug}`, { partnerId: id })
  }
  const billing = `/tenants/${slug}/billing`
  const { clientSecret } = await call(owner, 'POST', `${billing}/setup-intent`)
  const [setupIntent = ''] = clientSecret.split('_secret_')
  const card = '4242424242424242'
  await control('/payments/actions', { action: 'confirm_setup', setupIntent, card })
  await call(owner, 'PUT', `${billing}/payment-method`, { setupIntentId: setupIntent })
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
  await call(owner, 'POST', `/tenants/${workplace.slug}/subscription`, terms)
  return owner
}
