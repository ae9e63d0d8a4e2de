import type { TenantLimit } from '@atrium/core/tenants/tenant-limits'
import { expect, it } from 'vitest'
import { loweredLimits, toLimitsForm, toLimitsInput } from '../src/tenants/limits-form.ts'

const limit = (name: TenantLimit['name'], fields: Partial<TenantLimit>): TenantLimit => ({
  name,
  counts: 'things',
  per: 'tenant',
  seconds: 86_400,
  most: 100,
  standard: 100,
  set: null,
  used: 3,
  resetsAt: null,
  ...fields,
})
const items = [
  limit('members_day', {}),
  limit('lists', { set: 500, most: 500 }),
  limit('domains', { set: 0, most: 0 }),
]
const form = (most: Record<string, number | string>) => ({
  ...toLimitsForm(items),
  most: { ...toLimitsForm(items).most, ...most },
})

it('sends the limits that were changed alone; an emptied one goes back to the standard', () => {
  expect(toLimitsInput('acme', items, form({ members_day: 7, lists: '' }))).toEqual({
    slug: 'acme',
    limits: [
      { name: 'members_day', most: 7 },
      { name: 'lists', most: null },
    ],
  })
  expect(toLimitsInput('acme', items, { ...form({ domains: '' }), reason: ' Asked for ' })).toEqual(
    {
      slug: 'acme',
      limits: [{ name: 'domains', most: null }],
      reason: 'Asked for',
    },
  )
  expect(toLimitsInput('acme', items, form({})).limits).toEqual([])
})

it('asks for a confirmation where the tenant has less than now, also by going back to the standard', () => {
  const lowered = (most: Record<string, number | string>) =>
    loweredLimits(items, form(most)).map(({ name, next }) => [name, next])
  expect(lowered({ members_day: 100, lists: 501, domains: '' })).toEqual([])
  expect(lowered({ members_day: 99, lists: '' })).toEqual([
    ['members_day', 99],
    ['lists', 100],
  ])
})
