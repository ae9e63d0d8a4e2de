import { describe, expect, it } from 'vitest'
import {
  emptyForm,
  nextSlug,
  suggestSlug,
  takenField,
  toCreateTenant,
} from '../src/tenants/create-form.ts'

describe('the short name', () => {
  it('follows the name, and stays empty for a name without letters a to z', () => {
    expect([suggestSlug('Müller & Söhne'), suggestSlug('株式会社')]).toEqual(['muller-sohne', ''])
  })

  it('counts on when one is taken, and keeps to 63 characters', () => {
    expect([
      nextSlug('acme'),
      nextSlug('acme-2'),
      nextSlug('acme-9'),
      nextSlug('route-66'),
    ]).toEqual(['acme-2', 'acme-3', 'acme-10', 'route-67'])
    expect(nextSlug('a'.repeat(63))).toBe(`${'a'.repeat(61)}-2`)
  })
})

describe('the call made of a form', () => {
  it('leaves out what was left blank, and asks for an answer at once', () => {
    expect(toCreateTenant({ ...emptyForm, name: ' Acme ', slug: 'acme' })).toEqual({
      name: 'Acme',
      slug: 'acme',
      plan: 'free',
      respondAsync: true,
    })
  })

  it('carries domains and billing details in the form the API keeps', () => {
    const values = {
      ...emptyForm,
      name: 'Acme',
      slug: 'acme',
      domains: ['ACME.com'],
      billingInfo: { company: '', country: 'de' },
    }
    expect(toCreateTenant(values)).toMatchObject({
      domains: ['acme.com'],
      billingInfo: { country: 'DE' },
    })
  })
})

describe('a rejection because something exists', () => {
  const rejection = (message: string) => ({
    code: 'already_exists' as const,
    message,
    status: 409,
    requestId: undefined,
    issues: [],
  })

  it('is about the short name unless it speaks of a domain', () => {
    expect(takenField(rejection('A tenant with this slug exists already.'))).toBe('slug')
    expect(takenField(rejection('One of the domains belongs to a tenant already.'))).toBe('domains')
    expect(takenField({ ...rejection('x'), code: 'not_found' })).toBeUndefined()
  })
})
