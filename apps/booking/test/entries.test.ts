import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openPages } from './open-pages.ts'

const page = await readFile(
  join(import.meta.dirname, '../../../docs/reference/security.md'),
  'utf8',
)
const [, section = ''] = page.split('\n### Booking pages\n')
const listed = [
  ...(section.split('\n## ')[0] ?? '').matchAll(/`((?:GET|POST) \/[^`]*)`(?=[,| ])/g),
].map(([, entry = '']) => entry)
const entries = listed.filter((entry) => !entry.includes(' /api/'))

const routes = openPages()
  .app.routes.filter(({ path, method }) => method !== 'ALL' && !path.endsWith('*'))
  .map(({ method, path }) => `${method} ${path.replace(/:(\w+)(\{[^/]+\})?/g, '{$1}')}`)

it('docs/reference/security.md lists every page', () => {
  expect(new Set(entries)).toEqual(new Set(routes))
})

const forms = [...new Set(routes)].filter((route) => route.startsWith('POST '))

it.each(forms)('%s takes no form above 128 KiB', async (route) => {
  const booking = '01a20027-ac90-753e-ba27-078c7de319f5'
  const { app, api } = openPages()
  const path = route
    .replace('POST ', '')
    .replace('{booking}', booking)
    .replace(/\{\w+\}/g, 'x')
  const send = (bytes: number) =>
    app.request(path, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': String(bytes),
      },
      body: 'a'.repeat(bytes),
    })
  const rejected = await send(128 * 1024 + 1)
  expect([rejected.status, await rejected.text()]).toEqual([413, 'This form is too long.'])
  expect(api.calls).toEqual([])
  expect((await send(128 * 1024)).status).not.toBe(413)
})
