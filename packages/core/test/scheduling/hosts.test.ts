import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import {
  CreateHost,
  embedOrigin,
  hostSlug,
  RemoveHost,
  SetMailCredential,
  UpdateBookingPage,
  UpdateHost,
} from '../../src/scheduling/hosts.ts'
import { zodIssues } from '../zod-issues.ts'

const slug = 'acme'
const hostId = '01a1ffa0-915e-7644-aaf6-d11f66e35098'

const issuesOf = (schema: z.ZodType, input: object) => zodIssues(schema, { slug, hostId, ...input })

describe('the key of a host', () => {
  it.each(['ab', 'admin', 'a-1', 'x'.repeat(63)])('may be %s', (key) => {
    expect(hostSlug.safeParse(key).success).toBe(true)
  })
  it.each(['', 'a', '-a', 'a-', 'A1', 'a_b', 'x'.repeat(64), 'xn--bcher-kva'])(
    'may not be %j',
    (key) => {
      expect(hostSlug.safeParse(key).success).toBe(false)
    },
  )
})

describe('a host', () => {
  const userId = hostId
  const create = (fields: object) =>
    CreateHost.safeParse({ slug, userId, zone: 'Europe/Berlin', ...fields })

  it('may have a picture at an https address', () => {
    const avatarUrl = 'https://cdn.example/mira.png?size=2'
    expect(create({ avatarUrl }).success).toBe(true)
    expect(create({ avatarUrl: null }).success).toBe(true)
  })

  it.each([
    'http://cdn.example/mira.png',
    'httpsx://cdn.example/',
    'cdn.example/mira.png',
    'https://cdn.example/"onerror=',
    'https://cdn.example/<b>',
    'https://cdn.example/a b',
    'https://cdn.example/a\\b',
    'https://cdn.example/'.padEnd(2_001, 'x'),
  ])('has no picture at %j', (avatarUrl) => {
    expect(create({ avatarUrl }).error?.issues[0]?.path).toEqual(['avatarUrl'])
  })

  it('has as many bookings as there are times unless it has limits', () => {
    expect(create({ limits: {} }).data?.limits).toEqual({ day: null, week: null, month: null })
    expect(create({ limits: { day: 4 } }).data?.limits).toMatchObject({ day: 4, week: null })
    expect(create({ limits: { day: 0 } }).success).toBe(false)
  })

  it('is changed in at least one field, of the state that was read', () => {
    expect(issuesOf(UpdateHost, { version: 1 })).toHaveLength(1)
    expect(issuesOf(UpdateHost, { version: 1, title: undefined })).toHaveLength(1)
    expect(issuesOf(UpdateHost, { version: 1, title: null })).toEqual([])
    expect(issuesOf(UpdateHost, { version: 1, title: null, name: undefined })).toEqual([])
    expect(issuesOf(UpdateHost, { title: null })).toEqual([expect.stringMatching(/^version: /)])
  })

  it.each([
    ['true', true],
    [true, true],
    ['false', false],
    [false, false],
  ])('is removed with its bookings by %j: %s', (cancelBookings, cancelled) => {
    expect(RemoveHost.parse({ slug, hostId, cancelBookings }).cancelBookings).toBe(cancelled)
  })
  it.each(['yes', '', 1])('is not removed by %j', (cancelBookings) => {
    expect(issuesOf(RemoveHost, { cancelBookings })).toHaveLength(1)
  })
})

describe('the password of a mailbox', () => {
  const username = 'mira@acme.example'
  const secret = 'app-password'

  it('is made by the platform, or entered with the name that it is for', () => {
    expect(issuesOf(SetMailCredential, { mode: 'mint' })).toEqual([])
    expect(issuesOf(SetMailCredential, { mode: 'enter', username, secret })).toEqual([])
  })

  it.each([
    [{ mode: 'enter', username }, ['secret']],
    [{ mode: 'enter' }, ['username', 'secret']],
    [{ mode: 'enter', username, secret: 'a\u0000b' }, ['secret']],
    [{ mode: 'enter', username, secret: '' }, ['secret']],
    [{ mode: 'mint', secret }, ['secret']],
    [{ mode: 'mint', username, secret }, ['username', 'secret']],
  ])('is rejected as %j', (input, paths) => {
    const issues = issuesOf(SetMailCredential, input)
    expect(issues.map((issue) => issue.split(':')[0])).toEqual(paths)
    expect(issues.every((issue) => /: .+\.$/.test(issue))).toBe(true)
  })
})

describe('an origin that shows the booking page', () => {
  it.each([
    [' https://Example.com/ ', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['https://example.com:8443', 'https://example.com:8443'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1', 'http://127.0.0.1'],
  ])('is kept of %j as %s', (typed, origin) => {
    expect(embedOrigin.parse(typed)).toBe(origin)
  })

  it.each([
    '',
    'example.com',
    'http://example.com',
    'http://127.0.0.2',
    'ftp://localhost',
    'https://example.com/path',
    'https://example.com/?x',
    'https://example.com/#x',
    'https://user@example.com',
    'https://:secret@example.com',
  ])('is not %j', (typed) => {
    expect(embedOrigin.safeParse(typed).error?.issues).toMatchObject([
      { message: expect.stringContaining('https://') },
    ])
  })
})

describe('the booking page', () => {
  it('is changed in at least one field, of the state that was read', () => {
    const change = (fields: object) => UpdateBookingPage.safeParse({ slug, ...fields }).success
    expect(change({ version: 0 })).toBe(false)
    expect(change({ version: 0, intro: undefined })).toBe(false)
    expect(change({ version: 0, intro: null })).toBe(true)
    expect(change({ version: 0, enabled: false, intro: undefined })).toBe(true)
    expect(change({ version: -1, intro: null })).toBe(false)
    expect(change({ intro: null })).toBe(false)
  })
})
