import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyring, DecryptionError } from '../../src/platform/encryption.ts'

const entry = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const keyring = createKeyring(entry('a', 1))
const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed())

describe('a keyring', () => {
  it('gives back what it was given, in its own place', () => {
    fc.assert(
      fc.property(text, text, (secret, context) => {
        expect(keyring.decrypt(keyring.encrypt(secret, context), context)).toBe(secret)
      }),
    )
  })

  it('opens nothing in another place', () => {
    fc.assert(
      fc.property(text, text, text, (secret, context, other) => {
        fc.pre(context !== other)
        expect(() => keyring.decrypt(keyring.encrypt(secret, context), other)).toThrow(
          DecryptionError,
        )
      }),
    )
  })

  it('never writes the same secret in the same way, nor in the clear', () => {
    const secret = 'a secret of some length'
    const written = Array.from({ length: 1_000 }, () => keyring.encrypt(secret, 'c'))
    expect(new Set(written.map((sealed) => sealed.toString('hex'))).size).toBe(1_000)
    expect(written.some((sealed) => sealed.includes(secret))).toBe(false)
  })

  it('rejects a value in which any single bit was changed', () => {
    const sealed = keyring.encrypt('some secret', 'c')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(() => keyring.decrypt(altered, 'c'), `bit ${bit}`).toThrow(DecryptionError)
    }
  })

  it('rejects a value that was cut, lengthened, or never was one', () => {
    const sealed = keyring.encrypt('some secret', 'c')
    for (let length = 0; length < sealed.length; length++) {
      expect(() => keyring.decrypt(sealed.subarray(0, length), 'c'), `${length} bytes`).toThrow(
        DecryptionError,
      )
    }
    expect(() => keyring.decrypt(Buffer.concat([sealed, Buffer.from([0])]), 'c')).toThrow(
      DecryptionError,
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => keyring.decrypt(bytes, 'c')).toThrow(DecryptionError)
      }),
    )
  })

  it('rejects another key under the same name', () => {
    expect(() => createKeyring(entry('a', 2)).decrypt(keyring.encrypt('x', 'c'), 'c')).toThrow(
      DecryptionError,
    )
  })

  it('does not let the name of the key be exchanged for another that it holds', () => {
    const two = createKeyring(`${entry('a', 1)},b:${Buffer.alloc(32, 1).toString('base64')}`)
    const sealed = two.encrypt('x', 'c')
    sealed[2] = 'b'.charCodeAt(0)
    expect(() => two.decrypt(sealed, 'c')).toThrow(DecryptionError)
  })
})

describe('rotation', () => {
  it('encrypts with the first key, and opens with every one that is listed', () => {
    const old = keyring.encrypt('kept', 'c')
    const rotated = createKeyring(`${entry('b', 2)}, ${entry('a', 1)}`)
    expect(rotated.decrypt(old, 'c')).toBe('kept')
    expect(rotated.isCurrent(old)).toBe(false)
    const renewed = rotated.encrypt('kept', 'c')
    expect(rotated.isCurrent(renewed)).toBe(true)
    expect(() => keyring.decrypt(renewed, 'c')).toThrow(/not listed/)
    const finished = createKeyring(entry('b', 2))
    expect(finished.decrypt(renewed, 'c')).toBe('kept')
    expect(() => finished.decrypt(old, 'c')).toThrow(/not listed/)
  })
})

describe('the list of keys', () => {
  const key = randomBytes(32).toString('base64')
  it.each([
    ['', /entry 1 is not written id:base64/],
    [key, /entry 1 is not written/],
    [`:${key}`, /entry 1 is not written/],
    [`a:${key},`, /entry 2 is not written/],
    [`a:${key},a:${key}`, /key id "a" is listed twice/],
    [`a:${randomBytes(16).toString('base64')}`, /key "a" is not 32 bytes/],
    [`a:${randomBytes(33).toString('base64')}`, /key "a" is not 32 bytes/],
    [`a:${key.slice(0, -4)}!!!!`, /key "a" is not 32 bytes/],
    [`${'a'.repeat(33)}:${key}`, /entry 1 is not written/],
  ])('"%s" is refused without being repeated', (spec, reason) => {
    expect(() => createKeyring(spec)).toThrow(reason)
    expect(() => createKeyring(spec)).not.toThrow(key.slice(0, 16))
  })

  it('may leave the padding of base64 out', () => {
    const padded = createKeyring(`a:${key}`)
    expect(
      createKeyring(`a:${key.replace(/=+$/, '')}`).decrypt(padded.encrypt('x', 'c'), 'c'),
    ).toBe('x')
  })
})
