import { expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, expectWellMadeOnBoth, signIn, visit } from './people.ts'

interface Workplace {
  api(method: string, path: string, body?: object): Promise<Record<string, unknown>>
  slug: string
}

/** As the owner and as the operator, over REST. */
async function caller(email: string, app: 'portal' | 'operator'): Promise<Workplace['api']> {
  const { control, api } = inject('workplace')
  const json = { 'content-type': 'application/json' }
  const told = await fetch(`${control}/tokens`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, app }),
  })
  const { accessToken } = (await told.json()) as { accessToken: string }
  return async (method, path, body) => {
    const headers = { ...(body ? json : {}), authorization: `Bearer ${accessToken}` }
    const response = await fetch(`${api}${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await response.text()
    expect(response.ok, `${method} ${path} ${text}`).toBe(true)
    return text === '' ? {} : JSON.parse(text)
  }
}

/** A workplace of Nico's that has proved a domain. */
async function workplaceWithDomain(slug: string, domain: string): Promise<void> {
  const api = await caller('newcomer@example.test', 'portal')
  await api('POST', '/tenants', { name: slug, slug })
  const { zone } = await api('POST', `/tenants/${slug}/domains`, { domain })
  const published = await fetch(`${inject('workplace').control}/dns/${domain}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ zone }),
  })
  expect(published.status).toBe(200)
  expect((await api('POST', `/tenants/${slug}/domains/${domain}/recheck`)).verified).toBe(true)
}

it('releases the domains of a workplace with its deletion or after it, in both portals', {
  timeout: 180_000,
}, async () => {
  await using browser = await openBrowser()
  await workplaceWithDomain('leaving', 'leaving-journey.com')
  await workplaceWithDomain('gone', 'gone-journey.com')
  const workplace = inject('workplace')

  await using owner = await visit(browser)
  await signIn(owner.page, 'portal', 'Nico Newcomer')
  await owner.page.goto(`${workplace.portal}/t/leaving/settings`)
  await owner.page.getByRole('button', { name: 'Delete workplace' }).click()
  const dialog = owner.page.getByRole('dialog', { name: 'Delete leaving?' })
  await dialog.getByRole('checkbox', { name: 'Release leaving-journey.com now' }).check()
  await expectWellMadeOnBoth(owner.page)
  await dialog.getByRole('textbox').fill('leaving')
  await dialog.getByRole('button', { name: 'Delete workplace' }).click()
  await owner.page.getByText('leaving has been deleted.').waitFor()

  await owner.page.goto(`${workplace.portal}/t/leaving/settings`)
  const kept = owner.page.getByText(
    'Released. What is on it is kept under was-leaving-journey-com.leaving.',
  )
  await kept.waitFor()
  await expectWellMade(owner.page)
  const operator = await caller('operator@atrium.test', 'operator')
  await operator('DELETE', '/tenants/gone')

  await using staff = await visit(browser)
  await signIn(staff.page, 'operator', 'Olive Operator')
  await staff.page.goto(`${workplace.operator}/tenants/gone`)
  await staff.page.getByRole('button', { name: 'Release domains' }).click()
  const question = staff.page.getByRole('dialog', { name: 'Release the domains of gone?' })
  await question.getByText('Others can claim gone-journey.com immediately.').waitFor()
  await expectWellMadeOnBoth(staff.page)
  await question.getByRole('textbox').fill('gone')
  await question.getByRole('button', { name: 'Release domains' }).click()
  await staff.page
    .getByText('Released. What is on it is kept under was-gone-journey-com.gone.')
    .waitFor()
  await expectWellMade(staff.page)

  // Another tenant proves the one, and no one the other.
  await workplaceWithDomain('taker', 'gone-journey.com')
  for (const slug of ['gone', 'leaving']) {
    await staff.page.goto(`${workplace.operator}/tenants/${slug}`)
    await staff.page.getByRole('button', { name: 'Restore' }).click()
    await staff.page.getByRole('dialog').getByRole('button', { name: 'Restore tenant' }).click()
    await staff.page.getByText(`${slug} is restored.`).waitFor()
    if (slug === 'gone') await staff.page.getByText('gone-journey.com did not come back').waitFor()
    await expectWellMade(staff.page)
  }
  await staff.page.getByText('leaving-journey.com').first().waitFor()
  expect([...owner.complaints, ...staff.complaints]).toEqual([])
})
