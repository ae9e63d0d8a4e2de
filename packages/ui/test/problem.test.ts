import { TRPCClientError } from '@trpc/client'
import { describe, expect, it } from 'vitest'
import {
  fieldErrors,
  isPassing,
  needsSignIn,
  ProblemError,
  problemFromBody,
  problemOf,
} from '../src/problem.ts'

function rejected(code: string, data: Record<string, unknown> = {}) {
  return new TRPCClientError('A sentence to show.', {
    result: { error: { message: 'A sentence to show.', data: { code, ...data } } } as never,
  })
}

describe('the failure that a page shows', () => {
  it('is read from the data of a tRPC error', () => {
    const issues = [{ path: 'slug', message: 'This name is reserved.' }]
    const error = rejected('invalid_input', { httpStatus: 400, requestId: 'r1', issues })
    expect(problemOf(error)).toEqual({
      code: 'invalid_input',
      message: 'A sentence to show.',
      status: 400,
      requestId: 'r1',
      issues,
    })
  })

  it('is read from the app server’s problem details, however tRPC wrapped them', () => {
    const body = {
      type: '/docs/errors#unavailable',
      title: 'Not ready.',
      status: 503,
      detail: 'The API is away.',
      code: 'unavailable',
      requestId: 'r2',
    }
    const error = TRPCClientError.from(new ProblemError(problemFromBody(body, 503)))
    expect(problemOf(error)).toEqual({
      code: 'unavailable',
      message: 'The API is away.',
      status: 503,
      requestId: 'r2',
      issues: [],
    })
  })

  it('is a lost connection when fetch itself failed', () => {
    expect(problemOf(TRPCClientError.from(new TypeError('Failed to fetch'))).code).toBe(
      'unreachable',
    )
  })

  it('never repeats the text of an unexpected error', () => {
    expect(problemOf(new Error('secret=1'))).toMatchObject({
      code: 'unknown',
      message: 'Something went wrong on this page.',
    })
  })

  it('survives bodies that are no problem details', () => {
    for (const body of [undefined, null, 'text', { code: 7, issues: 'none' }]) {
      expect(problemFromBody(body, 502)).toMatchObject({
        code: 'unknown',
        status: 502,
        requestId: undefined,
        issues: [],
      })
    }
  })
})

describe('what helps', () => {
  it('is signing in when the session has ended, and nothing else', () => {
    expect(
      ['unauthenticated', 'token_expired', 'user_deactivated'].map((code) =>
        needsSignIn(problemOf(rejected(code))),
      ),
    ).toEqual([true, true, false])
  })

  it('is trying again only for what may pass by itself', () => {
    expect(
      ['unavailable', 'upstream_failed', 'internal', 'not_found'].map((code) =>
        isPassing(problemOf(rejected(code))),
      ),
    ).toEqual([true, true, false, false])
  })
})

it('puts the first issue of each field on the field', () => {
  const issues = [
    { path: 'billingInfo.country', message: 'first' },
    { path: 'billingInfo.country', message: 'second' },
    { path: '', message: 'whole' },
  ]
  expect(fieldErrors(problemOf(rejected('invalid_input', { issues })))).toEqual({
    'billingInfo.country': 'first',
  })
})

it('the issue of a field that every object inherits is shown like any other', () => {
  const issues = [
    { path: 'constructor', message: 'First.' },
    { path: 'constructor', message: 'Second.' },
    { path: '__proto__', message: 'Third.' },
  ]
  expect(Object.entries(fieldErrors(problemOf(rejected('invalid_input', { issues }))))).toEqual(
    expect.arrayContaining([
      ['constructor', 'First.'],
      ['__proto__', 'Third.'],
    ]),
  )
})
