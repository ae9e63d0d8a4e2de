import type { TenantView } from '@atrium/core/tenants/tenants'
import type { UserView } from '@atrium/core/users/users'
import { describe, expect, it } from 'vitest'
import { fromUser, changesOf as profileChanges } from '../src/profile/contact-form.ts'
import { lastVisitedFirst } from '../src/session/last-tenant.ts'
import { readableOn } from '../src/tenants/colors.ts'
import { changesOf, fromTenant } from '../src/tenants/settings-form.ts'

const tenant = {
  slug: 'acme',
  name: 'Acme',
  industry: 'Crafts',
  brandColor: '#1a6b82',
  language: 'de',
  seats: 5,
  seatMode: 'fixed',
} as TenantView
const user = {
  id: '019aa7a0-1111-7222-8333-944455556666',
  name: 'Olive',
  firstName: 'Olive',
  lastName: null,
  phone: null,
  alternativeEmail: null,
  language: null,
} as UserView

describe('changes of a workplace', () => {
  it('are none when the form still says what the record says', () => {
    expect(changesOf(tenant, fromTenant(tenant))).toBeUndefined()
  })

  it('name the changed fields alone, and clear the emptied ones', () => {
    const values = {
      name: 'Acme 2',
      industry: ' ',
      brandColor: '',
      language: '' as const,
      seats: '7',
      seatMode: 'fixed' as const,
    }
    expect(changesOf(tenant, values)).toEqual({
      slug: 'acme',
      name: 'Acme 2',
      industry: null,
      brandColor: null,
      language: null,
      seats: 7,
    })
    expect(changesOf(tenant, { ...fromTenant(tenant), seats: 6 })).toEqual({
      slug: 'acme',
      seats: 6,
    })
    expect(changesOf(tenant, { ...fromTenant(tenant), seatMode: 'auto' })).toEqual({
      slug: 'acme',
      seatMode: 'auto',
    })
  })
})

describe('changes of a profile', () => {
  it('are none when nothing was typed', () => {
    expect(profileChanges(user, fromUser(user))).toBeUndefined()
  })

  it('name the changed fields alone, and clear the emptied ones', () => {
    expect(profileChanges(user, { ...fromUser(user), firstName: '', phone: '+49 30 1' })).toEqual({
      id: user.id,
      firstName: null,
      phone: '+49 30 1',
    })
    expect(profileChanges(user, { ...fromUser(user), language: 'de' })).toEqual({
      id: user.id,
      language: 'de',
    })
  })
})

it('writes black on light brand colours and white on dark ones', () => {
  expect(['#ffffff', '#f2d28c', '#1a6b82', '#000000'].map(readableOn)).toEqual([
    '#000000',
    '#000000',
    '#ffffff',
    '#ffffff',
  ])
})

it('puts the workplace visited last in front and keeps the order of the others', () => {
  const tenants = [{ slug: 'a' }, { slug: 'b' }, { slug: 'c' }]
  expect(lastVisitedFirst(tenants, 'c').map(({ slug }) => slug)).toEqual(['c', 'a', 'b'])
  expect(lastVisitedFirst(tenants, undefined)).toEqual(tenants)
})
