import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import {
  type Browser,
  type BrowserContext,
  type LaunchOptions,
  chromium as playwright,
} from 'playwright-core'

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

// A test app knows nothing of the outside, and Chromium's own look-ups of Google's hosts would only
// wait for their time-out.
const quiet = [
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
]

/**
 * Unpacks Chromium where it is the one that npm brings: two who do it at once start what is still
 * being written.
 */
export async function prepareBrowser(): Promise<void> {
  if (!ownBrowser()) await chromium.executablePath()
}

const ownBrowser = () => process.env.CHROME_PATH ?? installed.find((path) => existsSync(path))

let running: Promise<Browser> | undefined

/**
 * The browser of this worker, which ends with it; each test opens contexts of its own.
 */
export function openBrowser(): Promise<Browser> {
  running ??= launch().then((browser) =>
    browser.once('disconnected', () => {
      running = undefined
    }),
  )
  return running
}

/** Chromium: `CHROME_PATH`, else the system's, else the one that npm brings. */
async function launch(): Promise<Browser> {
  const own = ownBrowser()
  if (own) return playwright.launch({ executablePath: own, args: ['--no-sandbox', ...quiet] })
  // Not the flags that the package suggests: they are for one short-lived page, run everything in
  // one process that ends with the first closed context, and switch the same-origin policy off.
  const options: LaunchOptions = {
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--disable-gpu', ...quiet],
  }
  return playwright.launch(options).catch(async (error: unknown) => {
    if (!String(error).includes('error while loading shared libraries')) throw error
    return playwright.launch({ ...options, env: { ...process.env, ...(await broughtLibraries()) } })
  })
}

/**
 * A bare machine lacks NSS and fonts; the package carries both for the machines it was first made
 * for.
 */
async function broughtLibraries(): Promise<Record<string, string>> {
  const packed = join(
    dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))),
    '..',
    'bin',
  )
  await inflate(join(packed, 'al2023.tar.br'))
  return {
    LD_LIBRARY_PATH: join(tmpdir(), 'al2023', 'lib'),
    FONTCONFIG_PATH: join(tmpdir(), 'fonts'),
  }
}

/**
 * Closes the context and its pages. A route whose request is still under way then fails after the
 * test has ended, which nobody waits for: Playwright ignores it once the routes are taken away.
 */
export async function closeContext(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await context.close()
}
