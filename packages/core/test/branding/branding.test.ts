import { describe, expect, it } from 'vitest'
import { UpdateBranding } from '../../src/branding/branding.ts'
import { brandableKey } from '../../src/branding/template-keys.ts'
import { zodIssuePaths } from '../zod-issues.ts'

describe('a message', () => {
  it('is branded by tenants unless it is one of the platform', () => {
    expect(brandableKey('invoice.paid')).toBe('invoice.paid')
    expect(brandableKey('member.welcome')).toBe('member.welcome')
    expect(brandableKey('payout.paid')).toBeUndefined()
    expect(brandableKey('access.break_glass')).toBeUndefined()
  })
})

describe('a change of the branding', () => {
  const issuesOf = (fields: object) => zodIssuePaths(UpdateBranding, { slug: 'acme', ...fields })
  const written = { subject: 'Welcome', text: 'Hello' }
  const welcome = (template: object | null) => ({ emailTemplates: { 'member.welcome': template } })

  it.each([
    { productName: null },
    { accentColor: '#1F6FEB' },
    welcome(null),
    welcome(written),
    welcome({ ...written, html: null }),
    welcome({ subject: 'x'.repeat(300), text: 'x'.repeat(20_000), html: 'x'.repeat(60_000) }),
  ])('may be %j', (fields) => {
    expect(issuesOf(fields)).toEqual([])
  })

  it.each([
    [{}, ''],
    [{ expectedVersion: 'v1' }, ''],
    [{ accentColor: 'blue' }, 'accentColor'],
    [{ productName: 'x'.repeat(61) }, 'productName'],
    [welcome({ subject: 'Welcome' }), 'emailTemplates.member.welcome.text'],
    [welcome({ ...written, text: ' ' }), 'emailTemplates.member.welcome.text'],
    [welcome({ ...written, subject: 'x'.repeat(301) }), 'emailTemplates.member.welcome.subject'],
    [welcome({ ...written, html: 'x'.repeat(60_001) }), 'emailTemplates.member.welcome.html'],
    [{ emailTemplates: { 'payout.paid': written } }, 'emailTemplates'],
  ])('is rejected with %j', (fields, path) => {
    expect(issuesOf(fields)).toEqual([path])
  })
})
