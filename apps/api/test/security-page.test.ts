import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSetPerTenant, type Limit, limitNames, limits } from '@atrium/core/platform/limits'
import { errorTexts } from '@atrium/messages/error-texts'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { everythingWritten } from '@atrium/testing/written'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyLimitBytes } from '../src/app.ts'
import { restRoutes } from '../src/http/rest.ts'
import { scimRoutes } from '../src/http/scim.ts'

const page = await readFile(
  join(import.meta.dirname, '../../../docs/reference/security.md'),
  'utf8',
)

/** The cells of a table's rows, by the heading of its section. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const table = section.split(/\n###? /)[0] ?? ''
  const lines = table
    .split('\n')
    .filter((line) => line.startsWith('| `') || /^\| [a-zP]/.test(line))
  return lines.map((line) => line.slice(2, -2).split(' | '))
}

const spans: Readonly<Record<string, string>> = {
  60: 'minute',
  600: '10 minutes',
  3600: 'hour',
  86400: 'day',
  null: 'at one time',
}

it('docs/reference/security.md lists every limit with its number', () => {
  const declared = limitNames.map((name) => {
    const counts = errorTexts('en')(`limits.counts.${name}`)
    const { per, most, seconds, kept, against }: Limit = limits[name]
    return [
      `\`${name}\``,
      `${most.toLocaleString('en-US')} ${counts}`,
      per,
      spans[String(seconds)],
      kept,
      isSetPerTenant(name) ? 'tenant' : 'installation',
      against,
    ]
  })
  expect(rowsBelow('All limits')).toEqual(declared)
})

const entries = rowsBelow('Without a session').map(
  ([entry = '', largest = '', , , , , named = '']) => ({
    calls: [...entry.matchAll(/`([A-Z]+) (\/[^`]+)`/g)].map(([, method = '', path = '']) => ({
      method,
      path,
    })),
    paths: [...entry.matchAll(/`(?:[A-Z]+ )?(\/[^`]*)`/g)].map(([, path = '']) => path),
    largest,
    named: [...named.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  }),
)
const open = restRoutes().filter(({ needsToken }) => !needsToken)

describe('entries that need no session', () => {
  let testApp: TestApp
  beforeAll(async () => {
    testApp = await startTestApp({ provisioned: false })
  })
  afterAll(() => testApp[Symbol.asyncDispose]())

  it('are in docs/reference/security.md, each route that there is', async () => {
    const needsToken = [
      ...restRoutes().filter((route) => route.needsToken),
      ...scimRoutes().filter(({ procedure }) => procedure._def.meta?.needsToken),
    ]
    const closed = new Set<string>(needsToken.map(({ path }) => path))
    const middleware = (path: string) => path.endsWith('*') && path !== '/trpc/*'
    const reachable = testApp.app.paths().map((path) => path.replace(/:(\w+)/g, '{$1}'))
    const shown = new Set(reachable.filter((path) => !middleware(path) && !closed.has(path)))
    const listed = new Set(entries.flatMap(({ paths }) => paths))
    expect([...listed].filter((path) => !shown.has(path))).toEqual([])
    for (const path of shown) {
      if (listed.has(path)) continue
      // Middleware alone: nothing answers there.
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
        expect((await testApp.request(method, path)).body.detail, `${method} ${path}`).toBe(
          'There is nothing at this address.',
        )
    }
  })

  it('are there with the methods of their procedures, and with limits that there are', () => {
    const listed = entries.flatMap(({ calls }) =>
      calls.map(({ method, path }) => `${method} ${path}`),
    )
    expect(open.length).toBeGreaterThan(10)
    expect(listed.sort()).toEqual(
      [...open.map(({ method, path }) => `${method} ${path}`), 'POST /webhooks/stripe'].sort(),
    )
    for (const { calls, named } of entries.filter(({ paths }) =>
      paths.some((path) => path.startsWith('/api/v1/')),
    )) {
      expect(named.length, calls[0]?.path).toBeGreaterThan(0)
      expect(limitNames, calls[0]?.path).toEqual(expect.arrayContaining(named))
    }
  })

  const withBody = entries.flatMap(({ calls, largest }) =>
    calls.map((call) => ({ ...call, largest })),
  )

  it.each(withBody.filter(({ method }) => method !== 'GET'))(
    '$method $path takes no more than it says',
    async ({ method, path, largest }) => {
      const send = (bytes: number) =>
        testApp.request(method, path.replace(/\{\w+\}/g, crypto.randomUUID()), {
          token: 'x'.repeat(43),
          body: '{}'.padEnd(bytes),
        })
      // A DELETE reads no body.
      expect(largest).toBe(method === 'DELETE' ? 'an id' : '1 MiB')
      const before = await everythingWritten(testApp)
      expect(await send(bodyLimitBytes + 1)).toMatchObject({
        status: 413,
        body: { code: 'too_large' },
      })
      expect(await everythingWritten(testApp)).toEqual(before)
      expect((await send(bodyLimitBytes)).status).not.toBe(413)
    },
  )

  it('search the API reference for 200 characters', async () => {
    const search = async (text: string) =>
      (await testApp.request('GET', `/docs?q=${encodeURIComponent(text)}`)).body as string
    const longest = 'a'.repeat(200)
    expect(await search(`${longest}b`)).toBe(await search(longest))
  })
})
