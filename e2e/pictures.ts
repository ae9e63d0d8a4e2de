import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openBrowser, prepareBrowser } from './browser.ts'
import { signIn } from './pages.ts'
import { startWorkplace } from './workplace.ts'

// Takes the pictures of the README from a workplace with the demo data: `pnpm pictures`.

const folder = join(import.meta.dirname, '../docs/images')
const largestBytes = 150_000

await prepareBrowser()
const { addresses, stop } = await startWorkplace({ history: true })
const browser = await openBrowser()
try {
  await mkdir(folder, { recursive: true })
  const { operator, portal, booking } = addresses
  await untilHostsAreThere(`${booking}/acme`)

  await take('operator', async (page) => {
    await signIn(page, operator, 'Olive Operator')
    await page.goto(`${operator}/tenants`)
    await page.getByRole('row').nth(9).waitFor()
  })
  await take('portal', async (page) => {
    await signIn(page, portal, 'Anna Owner')
    await page.goto(`${portal}/t/acme/members`)
    await page.getByRole('row', { name: /Mira Member/ }).waitFor()
  })
  await take('booking', async (page) => {
    await page.goto(`${booking}/acme/anna`)
    await page
      .getByRole('link', { name: /Introduction call/ })
      .first()
      .click()
    await page.getByRole('link', { name: /^Next month/ }).click()
    await page.locator('.month a').first().click()
    await page.locator('button[name=start]').first().waitFor()
  })
} finally {
  await browser.close()
  await stop()
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>['newPage']>>

async function take(name: string, open: (page: Page) => Promise<void>): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 1200, height: 720 },
    reducedMotion: 'reduce',
    colorScheme: 'light',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  await open(page)
  await page.waitForLoadState('networkidle')
  const picture = await page.screenshot()
  await context.close()
  if (picture.byteLength > largestBytes)
    throw new Error(`The picture of ${name} has ${picture.byteLength} bytes.`)
  await writeFile(join(folder, `${name}.png`), picture)
  process.stdout.write(`docs/images/${name}.png, ${picture.byteLength} bytes\n`)
}

/** The launcher makes the hosts of Acme after it has announced the workplace. */
async function untilHostsAreThere(address: string): Promise<void> {
  for (let i = 0; i < 240; i++) {
    const response = await fetch(address)
    if ((await response.text()).includes('Talk to Acme')) return
    await new Promise((done) => setTimeout(done, 500))
  }
  throw new Error(`${address} has no hosts.`)
}
