import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safeReturnTo } from '../src/return-to.ts'

const site = 'https://portal.example'

describe('the page to come back to', () => {
  it.each([
    undefined,
    '',
    '//evil.test',
    '//evil.test/t/acme',
    '/\\evil.test',
    '\\\\evil.test',
    'https://evil.test/',
    'https:evil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
    '/\n/evil.test',
    '/\u007f',
    '/\u0085',
    '/.//evil.test',
    '/x/..//evil.test',
    '/%2e//evil.test',
    'evil.test',
    '@evil.test',
    '/auth',
    '/auth/login',
    '/auth/logout?x',
    '/api/session',
    '/trpc/tenants.list',
    `/${'x'.repeat(2_000)}`,
  ])('is the start instead of %j', (requested) => {
    expect(safeReturnTo(requested, site)).toBe('/')
  })

  it.each([
    '/',
    '/t/acme',
    '/t/acme?q=a%20b&x=//evil.test',
    '/a#b',
    '/search?next=https://evil.test/',
    '/authors',
    '/apiary/trpc',
    '/t/auth/login',
    `/${'x'.repeat(1_999)}`,
  ])('may be %s', (requested) => {
    expect(safeReturnTo(requested, site)).toBe(requested)
  })

  it('has dots resolved, so that a browser goes where was checked', () => {
    expect(safeReturnTo('/t/../admin/./users?x=..', site)).toBe('/admin/users?x=..')
  })

  it('is on this site, whatever is requested', () => {
    const part = fc.constantFrom('/', '\\', '.', '@', ':', '%2e', '\t', '\u0000', 'evil.test', 'x')
    const text = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => `/${parts.join('')}`),
    )
    fc.assert(
      fc.property(text, (requested) => {
        const page = safeReturnTo(requested, site)
        expect(page).toMatch(/^\/(?![/\\])/)
        expect(new URL(page, site).origin).toBe(site)
        expect(new URL(page, site).href).toBe(site + page)
      }),
    )
  })
})
