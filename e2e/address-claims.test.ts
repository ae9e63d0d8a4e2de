import { expect, inject, it } from 'vitest'
import { mailsTo } from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import {
  chooseOwnPassword,
  expectWellMade,
  expectWellMadeOnBoth,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

const json = { 'content-type': 'application/json' }
const suffix = Date.now().toString(36)
const domain = `claims-${suffix}.com`
const [stays, moves] = [`stays@${domain}`, `moves@${domain}`]

async function call(
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${inject('workplace').api}${path}`, {
    method,
    headers: { ...(body ? json : {}), authorization: `Bearer ${token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${path} ${text}`).toBe(true)
  return text === '' ? {} : JSON.parse(text)
}

async function tokenOf(email: string): Promise<string> {
  const response = await fetch(`${inject('workplace').control}/tokens`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, app: 'portal' }),
  })
  return ((await response.json()) as { accessToken: string }).accessToken
}

/** The link of the newest mail to an address whose text has one of this shape. */
async function linkTo(email: string, count: number, shape: RegExp): Promise<string> {
  const mails = await mailsTo(email, count)
  const links = mails.flatMap(({ text }) => shape.exec(text)?.[0] ?? [])
  return links.at(-1) ?? expect.fail(`no link in ${JSON.stringify(mails)}`)
}

/** Two people of one workplace with addresses on a domain that another one then proves. */
async function situation(): Promise<{ slug: string; passwords: Record<string, string> }> {
  const elsewhere = await tokenOf('newcomer@example.test')
  const former = `former-${suffix}`
  await call(elsewhere, 'GET', '/users/me')
  await call(elsewhere, 'POST', '/tenants', { name: 'Former', slug: former })
  const passwords: Record<string, string> = {}
  for (const email of [stays, moves]) {
    const body = { invitees: [{ email, name: email.startsWith('stays') ? 'Sina' : 'Mona' }] }
    await call(elsewhere, 'POST', `/tenants/${former}/invitations`, body)
    const link = await linkTo(email, 1, /http:\/\/\S+\/invitation\/[\w-]+/)
    const token = link.slice(link.lastIndexOf('/') + 1)
    const { tempPassword } = await call(token, 'POST', '/invitations/accept', {})
    passwords[email] = String(tempPassword)
  }
  const admin = await tokenOf('admin@acme.test')
  const slug = `claiming-${suffix}`
  await call(admin, 'GET', '/users/me')
  await call(admin, 'POST', '/tenants', { name: 'Claiming', slug })
  const { zone } = await call(admin, 'POST', `/tenants/${slug}/domains`, { domain })
  const published = await fetch(`${inject('workplace').control}/dns/${domain}`, {
    method: 'PUT',
    headers: json,
    body: JSON.stringify({ zone }),
  })
  expect(published.status).toBe(200)
  const checked = await call(admin, 'POST', `/tenants/${slug}/domains/${domain}/recheck`)
  expect(checked.verified).toBe(true)
  return { slug, passwords }
}

it('an admin claims addresses that are managed elsewhere; one person keeps the account, one moves', {
  timeout: 240_000,
}, async () => {
  const { slug, passwords } = await situation()
  const { portal } = inject('workplace')
  await using browser = await openBrowser()

  await using admin = await visit(browser)
  const { page } = admin
  await signIn(page, 'portal', 'Adam Admin')
  await page.goto(`${portal}/t/${slug}/members/import`)
  await page.getByLabel('Or paste it here').fill(`email\n${stays}\n`)
  await page.getByRole('button', { name: 'Check the list' }).click()
  const link = `Claim the address on the page of ${domain}`
  await page.getByRole('link', { name: link }).waitFor()
  await expectWellMadeOnBoth(page)
  await page.goto(`${portal}/t/${slug}/members`)
  await page.getByRole('button', { name: 'Add member' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a member' })
  await dialog.getByRole('textbox', { name: 'E-mail address', exact: true }).fill(stays)
  await dialog.getByRole('button', { name: 'Add member' }).click()
  await dialog.getByText(`${stays} is managed elsewhere.`).waitFor()
  await expectWellMadeOnBoth(page)
  await dialog.getByRole('link', { name: link }).click()

  const people = page.getByRole('list', { name: 'People with addresses on this domain' })
  const claim = async (email: string) => {
    await people.getByRole('button', { name: `Claim ${email}` }).click()
    const question = page.getByRole('dialog', { name: `Claim ${email}?` })
    await question.getByRole('button', { name: 'Claim', exact: true }).click()
    await people.getByRole('button', { name: `Withdraw the claim to ${email}` }).waitFor()
    const row = people.getByRole('listitem').filter({ hasText: email })
    await row.getByText(/^Claimed\. The person can act until \d+ \w+ \d{4}, \d+:\d+\.$/).waitFor()
  }
  await claim(stays)
  await people.getByRole('button', { name: `Withdraw the claim to ${stays}` }).click()
  await people.getByRole('button', { name: `Claim ${stays}` }).click()
  await expectWellMadeOnBoth(page)
  await page.keyboard.press('Escape')
  await claim(stays)
  await claim(moves)
  await untilLoaded(page)
  await expectWellMadeOnBoth(page)

  await using person = await visit(browser)
  const own = person.page
  await own.goto(`${portal}/auth/login`)
  await own.getByLabel('E-mail or user name').fill(stays)
  await own.getByRole('textbox', { name: 'Password' }).fill(passwords[stays] ?? '')
  await own.getByRole('button', { name: 'Sign in', exact: true }).click()
  await chooseOwnPassword(own)
  await own.waitForURL((url) => url.origin === portal && !url.pathname.startsWith('/auth/'))
  await own.goto(`${portal}/profile`)
  await own.getByText(`Your address ${stays} is claimed`).waitFor()
  await own.getByText(`Claiming has proved that it owns ${domain}.`).waitFor()
  const other = `sina-${suffix}@elsewhere.example`
  await own.getByRole('textbox', { name: 'Another address' }).fill(moves)
  await own.getByRole('button', { name: 'Send link' }).click()
  await own.getByText(`The domain of ${moves} belongs to another tenant.`).waitFor()
  await own.getByRole('textbox', { name: 'Another address' }).fill(other)
  await own.getByRole('button', { name: 'Send link' }).click()
  await own.getByText(`A link was sent to ${other}.`).waitFor()
  await expectWellMadeOnBoth(own)
  await own.goto(await linkTo(other, 1, /http:\/\/\S+\/confirm-address#[\w-]+/))
  const confirm = own.getByRole('button', { name: 'Confirm address' })
  await confirm.waitFor()
  await expectWellMadeOnBoth(own)
  await confirm.click()
  await own.waitForURL(`${portal}/profile`)
  await own.getByText('Your address is changed.').waitFor()
  expect(await own.getByText(`Your address ${stays} is claimed`).count()).toBe(0)

  await using reader = await visit(browser)
  await reader.page.goto(await linkTo(moves, 2, /http:\/\/\S+\/claim\/[\w-]+/))
  await reader.page.getByText('Your account moves to the workplace').waitFor()
  await expectWellMade(reader.page)
  await reader.page.getByRole('button', { name: 'Continue' }).click()
  await reader.page.getByRole('heading', { name: 'You have joined Claiming' }).waitFor()
  await expectWellMade(reader.page)

  await page.reload()
  await page.getByText('Nobody elsewhere uses an address on this domain.').waitFor()
  await expectWellMade(page)
  expect([...admin.complaints, ...person.complaints, ...reader.complaints]).toEqual([])
})
