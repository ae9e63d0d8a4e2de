import { CreateTenant } from '@atrium/core/tenants/tenants'
import { describe, expect, it } from 'vitest'
import { withoutBlanks, zodForm } from '../src/zod-form.ts'

describe('a form checked by the API schema', () => {
  const check = zodForm(CreateTenant)

  it('takes blank optional fields for absent', () => {
    expect(check({ name: 'Acme', slug: '', billingInfo: { company: ' ', country: '' } })).toEqual(
      {},
    )
  })

  it('says that a required field is empty, in words', () => {
    expect(check({ name: '   ' })).toEqual({ name: 'This must not be empty.' })
  })

  it('names nested fields and items of lists by their path', () => {
    const errors = check({
      name: 'Acme',
      billingInfo: { country: 'Germany' },
      domains: ['acme.com', 'nonsense'],
    })
    expect(Object.keys(errors).sort()).toEqual(['billingInfo.country', 'domains.1'])
  })
})

it('drops empty texts and objects that hold nothing else, and keeps zero, false, null and lists', () => {
  expect(
    withoutBlanks({
      a: '',
      b: ' ',
      c: 0,
      d: false,
      e: null,
      f: [],
      g: { h: '' },
      i: { j: 'x', k: undefined },
    }),
  ).toEqual({
    c: 0,
    d: false,
    e: null,
    f: [],
    i: { j: 'x' },
  })
})
