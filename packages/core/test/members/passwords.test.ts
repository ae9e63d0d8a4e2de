import { webcrypto } from 'node:crypto'
import { temporaryPassword, temporaryPasswordExpiry } from '@atrium/core/members/passwords'
import { describe, expect, it } from 'vitest'

const random = (buffer: Uint8Array<ArrayBuffer>) => webcrypto.getRandomValues(buffer)
const kinds = { upper: /[A-Z]/, lower: /[a-z]/, digit: /[0-9]/, symbol: /[^A-Za-z0-9]/ }

// Bytes in bulk: one call of the system generator per byte would take a minute for the sample
// below.
function pooled() {
  const pool = new Uint8Array(65_536)
  let used = pool.length
  return (buffer: Uint8Array<ArrayBuffer>) => {
    if (used + buffer.length > pool.length) {
      webcrypto.getRandomValues(pool)
      used = 0
    }
    buffer.set(pool.subarray(used, used + buffer.length))
    used += buffer.length
    return buffer
  }
}

describe('a temporary password', () => {
  it('has sixteen characters, each kind among them, and none that people misread', () => {
    for (let n = 0; n < 2_000; n++) {
      const password = temporaryPassword(random)
      expect(password).toMatch(/^[^IO01l]{16}$/)
      for (const [name, kind] of Object.entries(kinds)) expect(password, name).toMatch(kind)
    }
  })

  it('is drawn evenly: every character as often as its kind allows, every kind at every place', () => {
    const samples = 200_000
    const source = pooled()
    const characters = new Map<string, number>()
    const places = Array.from({ length: 16 }, () => ({ upper: 0, lower: 0, digit: 0, symbol: 0 }))
    const seen = new Set<string>()
    for (let n = 0; n < samples; n++) {
      const password = temporaryPassword(source)
      seen.add(password)
      for (const [place, character] of [...password].entries()) {
        characters.set(character, (characters.get(character) ?? 0) + 1)
        for (const [name, kind] of Object.entries(kinds)) {
          const counts = places[place]
          if (counts && kind.test(character)) counts[name as keyof typeof kinds] += 1
        }
      }
    }
    expect(seen.size).toBe(samples)
    // Within a kind all characters are equally likely. The bound is six standard deviations: a fair
    // source misses it once in millions of runs.
    for (const kind of Object.values(kinds)) {
      const counts = [...characters]
        .filter(([character]) => kind.test(character))
        .map(([, count]) => count)
      const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
      for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(6 * Math.sqrt(mean))
    }
    // Shuffled: where a kind stands tells nothing.
    for (const name of Object.keys(kinds) as (keyof typeof kinds)[]) {
      const mean = places.reduce((sum, counts) => sum + counts[name], 0) / places.length
      for (const counts of places)
        expect(Math.abs(counts[name] - mean)).toBeLessThan(6 * Math.sqrt(mean))
    }
    expect([...characters.keys()].length).toBe(24 + 25 + 8 + 12)
  })

  it('draws again where a byte would favour some characters', () => {
    const rejected: number[] = []
    let draws = 0
    // 255 is above the largest multiple of every alphabet's size but that of 8 digits, so that it
    // must not be used by the others.
    temporaryPassword((buffer) => {
      draws += 1
      buffer[0] = draws % 2 === 1 ? 255 : 7
      if (buffer[0] === 255) rejected.push(draws)
      return buffer
    })
    expect(draws).toBeGreaterThan(16 + 15)
    expect(rejected.length).toBeGreaterThan(10)
  })

  it('depends on nothing but its source', () => {
    const zeros = (buffer: Uint8Array<ArrayBuffer>) => buffer.fill(0)
    expect(temporaryPassword(zeros)).toBe(temporaryPassword(zeros))
  })

  it('draws once for each character and once for each of the 15 exchanges', () => {
    let draws = 0
    temporaryPassword((buffer) => {
      draws += 1
      return buffer.fill(0)
    })
    expect(draws).toBe(16 + 15)
  })

  it('is valid for three days', () => {
    expect(temporaryPasswordExpiry(new Date('2026-02-27T12:00:00Z'))).toEqual(
      new Date('2026-03-02T12:00:00Z'),
    )
  })
})
