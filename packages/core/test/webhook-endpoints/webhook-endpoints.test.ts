import { describe, expect, it } from 'vitest'
import {
  CreateWebhookEndpoint,
  ReplayEvents,
  ReplayPlatformEvents,
} from '../../src/webhook-endpoints/webhook-endpoints.ts'
import { zodIssues } from '../zod-issues.ts'

const slug = 'acme'
const issuesOf = (schema: typeof CreateWebhookEndpoint | typeof ReplayEvents, input: object) =>
  zodIssues(schema, { slug, ...input })

describe('the address of an endpoint', () => {
  it.each(['https://hooks.example/atrium?key=a@b', 'http://10.0.0.7:8080/'])('may be %s', (url) => {
    expect(CreateWebhookEndpoint.parse({ slug, url: ` ${url}\n` }).url).toBe(url)
  })

  it.each([
    '',
    'hooks.example/atrium',
    'https://',
    'ftp://hooks.example/',
    'javascript:alert(1)',
    'https://user@hooks.example/',
    'https://:secret@hooks.example/',
    'https://user:secret@hooks.example/',
  ])('may not be %j', (url) => {
    expect(issuesOf(CreateWebhookEndpoint, { url })).toEqual([
      'url: This is not a web address. Write https://app.example.com.',
    ])
  })

  it('has 2,000 characters at most', () => {
    const url = 'https://hooks.example/'.padEnd(2_000, 'x')
    expect(issuesOf(CreateWebhookEndpoint, { url })).toEqual([])
    expect(issuesOf(CreateWebhookEndpoint, { url: `${url}x` })).toHaveLength(1)
  })
})

describe('an endpoint', () => {
  it('gets every type of event and has no description unless they are named', () => {
    expect(CreateWebhookEndpoint.parse({ slug, url: 'https://hooks.example/' })).toEqual({
      slug,
      url: 'https://hooks.example/',
      description: '',
      types: [],
    })
  })

  it('gets no type that does not exist', () => {
    const types = ['member.created', 'webhook_endpoint.test']
    expect(
      CreateWebhookEndpoint.safeParse({ slug, url: 'https://hooks.example/', types }).error?.issues,
    ).toMatchObject([{ path: ['types', 1] }])
  })
})

describe('a replay', () => {
  const id = '01a1ffa0-915e-7644-aaf6-d11f66e35098'
  const since = '2026-03-01T00:00:00Z'
  const fault = ['eventId: Name an event or a moment, not both.']

  it('is of one event or since a moment', () => {
    expect(issuesOf(ReplayEvents, { id, eventId: id })).toEqual([])
    expect(issuesOf(ReplayEvents, { id, since })).toEqual([])
    expect(ReplayPlatformEvents.safeParse({ id, since }).success).toBe(true)
  })

  it('is neither of both nor of nothing', () => {
    expect(issuesOf(ReplayEvents, { id })).toEqual(fault)
    expect(issuesOf(ReplayEvents, { id, eventId: id, since })).toEqual(fault)
    expect(ReplayPlatformEvents.safeParse({ id }).success).toBe(false)
  })
})
