import {
  isReservedSlug,
  isSlugShaped,
  slugCandidates,
  slugFilter,
  slugify,
  tenantSlug,
} from '@atrium/core/tenants/slugs'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

describe('a slug', () => {
  it.each(['ab', 'a1', '7-7', 'a--b', 'a'.repeat(63)])('may be %s', (slug) => {
    expect(tenantSlug.safeParse(slug).success).toBe(true)
  })
  it.each([
    '',
    'a',
    '-a',
    'a-',
    'A1',
    'ä1',
    'a_b',
    'a.b',
    'a b',
    'a'.repeat(64),
    'ab\n',
    '\u0430cme',
    '٣٤',
  ])('may not be %j', (slug) => {
    expect(tenantSlug.safeParse(slug).success).toBe(false)
    expect(isSlugShaped(slug)).toBe(false)
  })
  it.each([
    'admin',
    'api',
    'www',
    'platform-admins',
    'authentik-admins',
    'partner-staff',
    'xn--bcher-kva',
  ])('is reserved: %s', (slug) => {
    expect(isReservedSlug(slug)).toBe(true)
    expect(tenantSlug.safeParse(slug).success).toBe(false)
  })
  it('is reserved when an administrative group of the installation would have it, as it is or made into a slug', () => {
    expect(isReservedSlug('house-masters', ['House Masters'])).toBe(true)
    expect(isReservedSlug('chiefs', ['chiefs'])).toBe(true)
    expect(isReservedSlug('house--masters', ['house--masters'])).toBe(true)
    expect(isReservedSlug('chief', ['chiefs'])).toBe(false)
  })
  test.prop([fc.string({ unit: 'binary', maxLength: 70 })])(
    'has the shape that the database checks, or is rejected',
    (text) => {
      expect(isSlugShaped(text)).toBe(
        /^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/.test(text) && !text.includes('\n'),
      )
    },
  )
})

describe('a slug to filter by', () => {
  it('is taken in any case, reserved words included', () => {
    expect(slugFilter.parse('ACME')).toBe('acme')
    expect(slugFilter.parse('admin')).toBe('admin')
  })
  it.each(['a\u0000b', '', ' acme', 'a%', 'a'.repeat(64)])(
    'is rejected when it could match nothing: %j',
    (text) => {
      expect(slugFilter.safeParse(text).success).toBe(false)
    },
  )
})

describe('slugify', () => {
  it.each([
    ['Acme GmbH & Co. KG', 'acme-gmbh-co-kg'],
    ['Größe Straße', 'grosse-strasse'],
    ['ŁÓDŹ', 'lodz'],
    ['Smørrebrød Ærø', 'smorrebrod-aero'],
    ['İstanbul ılık', 'istanbul-ilik'],
    ['ﬁrma ①', 'firma-1'],
    ['--a--b--', 'a-b'],
    ['Q3', 'q3'],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ])('%j becomes %s', (name, slug) => {
    expect(slugify(name)).toBe(slug)
  })
  it.each(['', '!', 'x', '日本', 'Ж', '🎉'])('%j has nothing to make one of', (name) => {
    expect(slugify(name)).toBeUndefined()
  })
  test.prop([fc.string({ unit: 'grapheme', maxLength: 200 })])(
    'makes a shaped slug or nothing, and leaves a slug as it is',
    (name) => {
      const slug = slugify(name)
      if (slug === undefined) return
      expect(isSlugShaped(slug)).toBe(true)
      expect(slugify(slug)).toBe(slug)
    },
  )
})

describe('candidates', () => {
  test.prop([
    fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$/),
    fc.integer({ min: 1, max: 1_200 }),
  ])('are all shaped and all different, the base first', (base, count) => {
    const all = [...slugCandidates(base, count)]
    expect(all).toHaveLength(count)
    expect(all[0]).toBe(base)
    expect(new Set(all).size).toBe(count)
    expect(all.every(isSlugShaped)).toBe(true)
  })

  it('keep as much of the base as fits, without a hyphen before the number', () => {
    expect([...slugCandidates('a'.repeat(63), 2)][1]).toBe(`${'a'.repeat(61)}-2`)
    expect([...slugCandidates(`${'a'.repeat(60)}-bc`, 2)][1]).toBe(`${'a'.repeat(60)}-2`)
  })
})
