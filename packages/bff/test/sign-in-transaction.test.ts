import { randomBytes } from 'node:crypto'
import { createKeyring } from '@atrium/db/platform/encryption'
import { describe, expect, it } from 'vitest'
import { openTransaction, sealTransaction, signInSeconds } from '../src/sign-in-transaction.ts'

const keyring = createKeyring(`test:${randomBytes(32).toString('base64')}`)
const startedAt = Date.UTC(2026, 0, 1)
const transaction = {
  state: 'state-1',
  nonce: 'nonce',
  verifier: 'verifier',
  returnTo: '/t/acme',
  startedAt,
}
const cookie = sealTransaction(keyring, 'portal', transaction)
const after = (milliseconds: number) => new Date(startedAt + milliseconds)
const opened = {
  cookie,
  state: 'state-1',
  now: after(0),
} as { cookie: string | undefined; state: string; now: Date }

describe('a sign-in under way', () => {
  it('is what was sealed, for ten minutes', () => {
    expect(openTransaction(keyring, 'portal', opened)).toEqual(transaction)
    const last = after(signInSeconds * 1_000 - 1)
    expect(openTransaction(keyring, 'portal', { ...opened, now: last })).toEqual(transaction)
    const over = after(signInSeconds * 1_000)
    expect(openTransaction(keyring, 'portal', { ...opened, now: over })).toBeUndefined()
  })

  it('remembers that a signed-in person was asked again', () => {
    const recent = { ...transaction, recent: true }
    const sealed = sealTransaction(keyring, 'portal', recent)
    expect(openTransaction(keyring, 'portal', { ...opened, cookie: sealed })).toEqual(recent)
  })

  it.each([
    ['without a cookie', { ...opened, cookie: undefined }],
    ['with an empty cookie', { ...opened, cookie: '' }],
    ['with another state', { ...opened, state: 'state-2' }],
    ['with an altered cookie', { ...opened, cookie: `${cookie.slice(0, -2)}AA` }],
    ['with what is no cookie of ours', { ...opened, cookie: 'nonsense' }],
  ])('is none %s', (_name, of) => {
    expect(openTransaction(keyring, 'portal', of)).toBeUndefined()
  })

  it('is none of another app, nor under another key', () => {
    expect(openTransaction(keyring, 'operator', opened)).toBeUndefined()
    const other = createKeyring(`test:${randomBytes(32).toString('base64')}`)
    expect(openTransaction(other, 'portal', opened)).toBeUndefined()
  })

  it('reports a value of ours that has another shape, as a bug', () => {
    const sealed = keyring.encrypt('{}', 'sign-in:portal:state-1').toString('base64url')
    expect(() => openTransaction(keyring, 'portal', { ...opened, cookie: sealed })).toThrow()
  })
})
