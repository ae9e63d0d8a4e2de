import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMadeOnBoth, signIn, visit } from './people.ts'
import { startWorkplace } from './workplace.ts'

let browser: Browser
// Of its own: other tests look for English texts.
let workplace: Awaited<ReturnType<typeof startWorkplace>>

beforeAll(async () => {
  browser = await openBrowser()
  workplace = await startWorkplace({ history: false })
})
afterAll(() => workplace?.stop())

const languageOf = (page: Page) => page.evaluate('document.documentElement.lang')

it('is the one that a person chose, also in a browser that is new to them', async () => {
  const { portal } = workplace.addresses
  await using visitor = await visit(browser)
  const { page } = visitor
  await signIn(page, 'portal', 'Mira Member', portal)
  await page.goto(`${portal}/profile`)
  expect(await languageOf(page)).toBe('en')
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: 'Mein Profil', level: 1 }).waitFor()
  expect(await languageOf(page)).toBe('de')
  await expectWellMadeOnBoth(page)

  await using other = await visit(browser)
  await other.page.goto(portal)
  await other.page.getByRole('link', { name: 'Sign in' }).first().click()
  await other.page.getByRole('button', { name: 'Mira Member' }).click()
  await other.page.getByRole('link', { name: 'Mein Profil' }).first().waitFor()
  expect(await languageOf(other.page)).toBe('de')

  await page.getByLabel('Sprache').selectOption('Sprache des Browsers')
  await page.getByRole('button', { name: 'Änderungen speichern' }).click()
  await page.getByRole('heading', { name: 'My profile', level: 1 }).waitFor()
  expect(visitor.complaints).toEqual([])
})

it('follows a change of the person’s setting that was made in another browser', async () => {
  const { portal } = workplace.addresses
  await using visitor = await visit(browser)
  const { page, context } = visitor
  await signIn(page, 'portal', 'Mira Member', portal)
  await context.addCookies([{ name: 'atrium_language', value: 'de', url: portal }])
  await page.goto(`${portal}/profile`)
  await page.getByRole('heading', { name: 'My profile', level: 1 }).waitFor()
  expect(await context.cookies(portal)).not.toContainEqual(
    expect.objectContaining({ name: 'atrium_language' }),
  )
})

it('of a standard mail text is the reader’s in a workplace without one, and can be changed', async () => {
  const { portal } = workplace.addresses
  await using visitor = await visit(browser)
  const { page } = visitor
  await signIn(page, 'portal', 'Anna Owner', portal)
  await page.goto(`${portal}/profile`)
  await page.getByLabel('Language').selectOption('Deutsch')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('heading', { name: 'Mein Profil', level: 1 }).waitFor()

  await page.goto(`${portal}/t/acme/branding/texts?template=member.welcome`)
  const [subject, language] = [
    page.getByLabel('Betreff'),
    page.getByLabel('Sprache des Standardtexts'),
  ]
  await page.getByText(/^Der Standardtext auf Deutsch\. .* auf Englisch\./).waitFor()
  expect([await subject.inputValue(), await language.inputValue()]).toEqual([
    'Willkommen bei {{ product.name }}',
    'de',
  ])
  await expectWellMadeOnBoth(page)

  await language.selectOption('Englisch')
  await page.getByText(/^Der Standardtext auf Englisch\./).waitFor()
  expect(await subject.inputValue()).toBe('Welcome to {{ product.name }}')
  expect(new URL(page.url()).searchParams.get('language')).toBe('en')

  await subject.fill('Hello {{ member.name }}')
  await page.getByRole('button', { name: 'Text speichern' }).click()
  await page.getByText('Ihr eigener Text.').waitFor()
  expect(await language.count()).toBe(0)
  expect(visitor.complaints).toEqual([])
})
