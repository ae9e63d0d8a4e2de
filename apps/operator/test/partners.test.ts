import { CreatePartner } from '@atrium/core/partners/partners'
import { describe, expect, it } from 'vitest'
import { emptyPartner, shownSlug, toCreatePartner } from '../src/partners/create-form.ts'
import { marginDays } from '../src/partners/margin-editor.tsx'
import { partnersQuery, readPartnerSearch } from '../src/partners/search.ts'

describe('the form of a new partner', () => {
  it('sends what was typed and nothing that was left empty', () => {
    const input = toCreatePartner({
      ...emptyPartner,
      name: 'North',
      contactInfo: { name: 'Pia', email: '', phone: '' },
    })
    expect(input).toEqual({ name: 'North', marginPct: 20, contactInfo: { name: 'Pia' } })
    expect(CreatePartner.safeParse(input).success).toBe(true)
  })

  it('lets the slug follow the name until one is typed', () => {
    expect(shownSlug({ name: 'Größe & Co', slug: undefined })).toBe('grosse-co')
    expect(shownSlug({ name: 'North', slug: 'nord' })).toBe('nord')
    expect(toCreatePartner({ ...emptyPartner, name: 'North', slug: 'nord' })).toMatchObject({
      slug: 'nord',
    })
  })
})

describe('the days of a margin', () => {
  it('are firsts of coming months, in UTC, and today for the first margin', () => {
    const now = new Date('2026-12-31T23:30:00.000Z')
    expect(marginDays(now, false).slice(0, 2)).toEqual(['2027-01-01', '2027-02-01'])
    expect(marginDays(now, true).slice(0, 2)).toEqual(['2026-12-31', '2027-01-01'])
    expect(marginDays(new Date('2027-01-31T12:00:00.000Z'), false)[0]).toBe('2027-02-01')
  })
})

describe('the address of a partner', () => {
  it('forgets what it cannot carry', () => {
    expect(readPartnerSearch({ tab: 'secrets', status: 'gone', cursors: 'x' })).toEqual({})
    expect(partnersQuery({ status: 'suspended' })).toEqual({ status: 'suspended', limit: 25 })
  })
})
