import { CreateTenant, type TenantView } from '@atrium/core/tenants/tenants'
import { UpdateUser, type UserView } from '@atrium/core/users/users'
import { describe, expect, it } from 'vitest'
import { countOfPage } from '../src/dashboard/count.ts'
import { emptyTenant, shownSlug, toCreateTenant } from '../src/tenants/create-form.ts'
import { toDetailsForm, toDetailsUpdate } from '../src/tenants/details-form.ts'
import { toContactUpdate } from '../src/users/contact-form.ts'

describe('the form for a new tenant', () => {
  it('leaves out what was not filled in', () => {
    expect(toCreateTenant({ ...emptyTenant, name: 'Acme', seats: '' })).toEqual({
      name: 'Acme',
      plan: 'business',
      respondAsync: true,
    })
  })

  it('shows the slug that follows from the name without sending it', () => {
    const form = { ...emptyTenant, name: 'Müller & Söhne' }
    expect(shownSlug(form)).toBe('muller-sohne')
    expect(toCreateTenant(form)).not.toHaveProperty('slug')
  })

  it('sends a slug that was typed', () => {
    const form = { ...emptyTenant, name: 'Acme', slug: 'acme-2' }
    expect(shownSlug(form)).toBe('acme-2')
    expect(toCreateTenant(form)).toMatchObject({ slug: 'acme-2' })
  })

  it('sends a full form as the API takes it', () => {
    const form = {
      name: 'Acme',
      slug: 'acme',
      ownerEmail: 'owner@acme.test',
      plan: 'enterprise' as const,
      seats: 0,
      domains: ['acme.test'],
      partnerId: ' 0196f1d2-aaaa-7bbb-8ccc-000000000001 ',
      industry: 'Tools',
      brandColor: '#1F6FEB',
      billingInfo: { company: 'Acme GmbH', vatNumber: '', country: 'de', email: '' },
    }
    expect(CreateTenant.parse(toCreateTenant(form))).toEqual({
      name: 'Acme',
      slug: 'acme',
      ownerEmail: 'owner@acme.test',
      plan: 'enterprise',
      seats: 0,
      domains: ['acme.test'],
      partnerId: '0196f1d2-aaaa-7bbb-8ccc-000000000001',
      industry: 'Tools',
      brandColor: '#1f6feb',
      billingInfo: { company: 'Acme GmbH', country: 'DE' },
      respondAsync: true,
    })
  })
})

describe('the contact form of a user', () => {
  const id = '0196f1d2-aaaa-7bbb-8ccc-000000000001'
  const user = {
    id,
    name: 'Olive',
    firstName: 'Olive',
    lastName: 'Oil',
    phone: null,
    alternativeEmail: null,
    language: 'de',
  } as UserView

  it('sends what was changed, and clears a field that was emptied', () => {
    const update = toContactUpdate(user, {
      name: 'Olive',
      firstName: '',
      lastName: 'Oil',
      phone: '+49 30 1',
      alternativeEmail: '',
      language: '',
    })
    expect(update).toEqual({ id, firstName: null, phone: '+49 30 1', language: null })
  })

  it('is rejected without a name', () => {
    const update = toContactUpdate(user, {
      name: ' ',
      firstName: '',
      lastName: '',
      phone: '',
      alternativeEmail: '',
      language: '',
    })
    expect(UpdateUser.safeParse(update).error?.issues.map((issue) => issue.path.join('.'))).toEqual(
      ['name'],
    )
  })
})

describe('counts of a first page', () => {
  it('are exact only when nothing follows', () => {
    expect(countOfPage({ items: [1, 2], nextCursor: null })).toBe('2')
    expect(countOfPage({ items: [1, 2], nextCursor: 'x' })).toBe('2+')
  })
})

describe('the details form of a tenant', () => {
  const tenant = {
    slug: 'acme',
    name: 'Acme',
    seats: 5,
    seatMode: 'fixed',
    industry: 'Rail',
    brandColor: null,
  } as TenantView

  it('sends only the changed fields, so that it undoes no other change', () => {
    expect(toDetailsUpdate(tenant, { ...toDetailsForm(tenant), seats: 80 })).toEqual({
      slug: 'acme',
      seats: 80,
    })
    expect(toDetailsUpdate(tenant, { ...toDetailsForm(tenant), industry: ' ' })).toEqual({
      slug: 'acme',
      industry: null,
    })
  })
})
