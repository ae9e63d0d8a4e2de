import { describe, expect, it } from 'vitest'
import { changesOf, fromBillingInfo } from '../src/billing-info/billing-form.ts'

const stored = { company: 'Acme', vatNumber: 'DE136695976', country: 'DE', email: null }
const record = { billingInfo: stored, editVersion: 'v1' }

describe('billing details', () => {
  it('are not sent when nothing was typed', () => {
    expect(changesOf('acme', record, fromBillingInfo(stored))).toBeUndefined()
  })

  it('are sent where they changed, and emptied ones are cleared', () => {
    expect(
      changesOf('acme', record, {
        company: 'Acme',
        vatNumber: ' ',
        country: 'AT',
        email: 'bills@acme.test',
      }),
    ).toEqual({
      slug: 'acme',
      vatNumber: null,
      country: 'AT',
      email: 'bills@acme.test',
      expectedVersion: 'v1',
    })
  })
})
