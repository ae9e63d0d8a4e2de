import {
  AppError,
  describeError,
  errorCodes,
  findAppError,
  toProblem,
} from '@atrium/core/platform/errors'
import { describe, expect, it } from 'vitest'

describe('every code', () => {
  it.each(errorCodes)('%s has an error status and a sentence', (code) => {
    const { status, title } = describeError(code)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect(title).toMatch(/^[A-Z].*\.$/)
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
  })
})

describe('a problem', () => {
  it('is RFC 9457 with our members', () => {
    const error = new AppError('invalid_input', 'Look again.', {
      issues: [{ path: 'name', message: 'Missing.' }],
      cause: new Error('inner words'),
    })
    expect(toProblem(error, 'r-1')).toEqual({
      type: '/docs/errors#invalid_input',
      title: 'The request has invalid fields.',
      status: 400,
      detail: 'Look again.',
      code: 'invalid_input',
      requestId: 'r-1',
      issues: [{ path: 'name', message: 'Missing.' }],
    })
    expect(JSON.stringify(toProblem(error, 'r-1'))).not.toContain('inner words')
  })
  it('says its title where there is nothing more to say, and names no issues where there are none', () => {
    const problem = toProblem(new AppError('not_found'), 'r')
    expect(problem.detail).toBe(problem.title)
    expect('issues' in problem).toBe(false)
  })
})

describe('finding a rejection', () => {
  it('looks through the chain of causes', () => {
    const rejection = new AppError('last_admin')
    expect(findAppError(new Error('a', { cause: new Error('b', { cause: rejection }) }))).toBe(
      rejection,
    )
    expect(findAppError(rejection)).toBe(rejection)
  })
  it.each([undefined, null, 'text', 7, {}, new Error('x'), new Error('x', { cause: 'text' })])(
    'finds none in %s',
    (value) => {
      expect(findAppError(value)).toBeUndefined()
    },
  )
})
