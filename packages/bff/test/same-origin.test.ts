import { AppError } from '@atrium/core/platform/errors'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv } from '../src/request.ts'
import { sameOriginOnly } from '../src/same-origin.ts'

const site = 'https://portal.example'
const server = new Hono<AppEnv>()
  .use(sameOriginOnly(site))
  .all('/', (c) => c.text('done'))
  .onError((error, c) => c.text(error instanceof AppError ? error.code : 'failed', 403))

const outcome = async (method: string, headers: Record<string, string>) =>
  (await server.request('/', { method, headers })).text()

describe('a request that changes something', () => {
  it.each([
    ['neither header', {}],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another site under the same domain', { 'sec-fetch-site': 'same-site' }],
    ['no page at all', { 'sec-fetch-site': 'none' }],
    ['the Origin of another site', { origin: 'https://evil.test' }],
    ['the Origin null', { origin: 'null' }],
    [
      'our Origin, and another site by its own word',
      { 'sec-fetch-site': 'cross-site', origin: site },
    ],
    ['an Origin that begins like ours', { origin: `${site}.evil.test` }],
    [
      'another Origin than its word',
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.test' },
    ],
  ])('is rejected with %s', async (_name, headers: Record<string, string>) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await outcome(method, headers)).toBe('cross_origin')
  })

  it.each([
    ['the word of the browser', { 'sec-fetch-site': 'same-origin' }],
    ['our Origin', { origin: site }],
    ['both', { 'sec-fetch-site': 'same-origin', origin: site }],
  ])('passes with %s', async (_name, headers: Record<string, string>) => {
    expect(await outcome('POST', headers)).toBe('done')
  })
})

it('lets every site follow links, which change nothing', async () => {
  for (const method of ['GET', 'OPTIONS'])
    for (const headers of [{}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }])
      expect(await outcome(method, headers as Record<string, string>)).toBe('done')
})
