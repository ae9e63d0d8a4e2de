import {
  AppError,
  describeError,
  errorCodes,
  findAppError,
  issuePath,
  mostIssues,
  storableText,
  toProblem,
  writeText,
} from '@atrium/core/platform/errors'
import { describe, expect, it } from 'vitest'
import { errorText } from '../../src/platform/error-text.ts'

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

describe('what a problem says besides', () => {
  it('is the limit that was reached and the record as it is now', () => {
    const error = new AppError('limit_reached', undefined, {
      limit: 'members_day',
      current: { seats: 4 },
    })
    expect(toProblem(error, 'r')).toMatchObject({ limit: 'members_day', current: { seats: 4 } })
    expect(Object.keys(toProblem(new AppError('not_found'), 'r'))).not.toContain('limit')
    expect(Object.keys(toProblem(new AppError('not_found'), 'r'))).not.toContain('current')
  })

  it('is the first hundred issues, in the language of the reader', () => {
    const message = errorText('scimRemovePath')
    const issues = Array.from({ length: mostIssues + 1 }, (_, n) => ({ path: `${n}`, message }))
    const error = new AppError('invalid_input', undefined, { issues })
    const german = error.issuesIn('de') ?? []
    expect(german).toHaveLength(100)
    expect(german[0]).toEqual({ path: '0', message: writeText(message, 'de') })
    expect(german[0]?.message).not.toBe(error.issues?.[0]?.message)
    expect(toProblem(error, 'r', 'de').issues).toEqual(german)
  })

  it('is no longer path than 64 characters, and no half of a character', () => {
    expect(issuePath('x'.repeat(64))).toBe('x'.repeat(64))
    expect(issuePath('x'.repeat(65))).toBe(`${'x'.repeat(63)}…`)
    for (const length of [61, 62, 63]) {
      const cut = issuePath(`${'x'.repeat(length)}🎉🎉`)
      expect(cut.isWellFormed()).toBe(true)
      expect(cut).toMatch(/^x+(🎉)?…$/u)
    }
  })
})

describe('a sentence with values', () => {
  const day = new Date('2026-07-28T23:00:00Z')

  it('writes days, amounts and sentences in the language of the reader', () => {
    const trial = errorText('trialMembersUntil', { most: 1, until: day })
    expect(writeText(trial, 'en')).toContain('at most 1 member')
    expect(writeText(trial, 'en')).toContain('28 July 2026')
    expect(writeText(trial, 'de')).toContain('28. Juli 2026')
    const most = errorText('creditTooMuch', { most: { amount: 123_450n, currency: 'eur' } })
    expect(writeText(most, 'en')).toContain('€1,234.50')
    expect(writeText(most, 'de')).toMatch(/1\.234,50\s€/)
  })

  it('writes several values as a list', () => {
    const flag = (name: string) =>
      errorText('flagPrerequisite', { flag: name, wanted: 'on', actual: 'off' })
    const flags = ['a', 'b', 'c'].map(flag)
    const [a = '', b = '', c = ''] = flags.map((one) => writeText(one, 'en'))
    const text = writeText(errorText('flagPrerequisites', { flags }), 'en')
    expect(text).toContain(`${a}, ${b}, and ${c}`)
  })

  it('is kept unless JSON would change a value of it', () => {
    const plain = errorText('cursorExpired', { days: 30 })
    const nested = errorText('flagPrerequisites', { flags: [plain, 'text'] })
    for (const kept of [plain, nested]) expect(storableText(kept)).toBe(kept)
    const amount = { amount: 1n, currency: 'eur' }
    for (const lost of [
      'The mail server could not be reached.',
      errorText('trialMembersUntil', { most: 1, until: day }),
      errorText('creditTooMuch', { most: amount }),
      errorText('flagPrerequisites', {
        flags: [plain, errorText('creditTooMuch', { most: amount })],
      }),
      errorText('entitledTrial', {
        plan: 'team',
        members: errorText('trialMembers', { most: day }),
      }),
    ])
      expect(storableText(lost)).toBeNull()
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
