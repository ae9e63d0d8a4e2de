import { CreateTenant, UpdateTenant } from '@atrium/core/tenants/tenants'
import { describe, expect, it } from 'vitest'
import { onFields, rejections, validateAs } from '../src/parts/validation.ts'
import { emptyTenant, toCreateTenant } from '../src/tenants/create-form.ts'

describe('validation by the schema of the API', () => {
  it('says on each field what is wrong with what would be sent', () => {
    const errors = validateAs(
      CreateTenant,
      toCreateTenant,
    )({
      ...emptyTenant,
      ownerEmail: 'nobody',
      billingInfo: { ...emptyTenant.billingInfo, country: 'Germany' },
    })
    expect(Object.keys(errors).sort()).toEqual(['billingInfo.country', 'name', 'ownerEmail'])
    expect(errors.name).toBe('This must not be empty.')
  })

  it('shows the fault of one item on the list', () => {
    const toInput = ({ domains }: { domains: string[] }) => ({ slug: 'acme', domains })
    expect(validateAs(UpdateTenant, toInput)({ domains: ['acme.test', 'not a domain'] })).toEqual({
      domains: 'This is not a domain name that can be owned.',
    })
  })

  it('finds nothing in what the API would take', () => {
    expect(validateAs(CreateTenant, toCreateTenant)({ ...emptyTenant, name: 'Acme' })).toEqual({})
  })

  it('brings what the server says of items to the list as well', () => {
    expect(
      onFields({ 'domains.0': 'Taken.', 'domains.2': 'Also taken.', 'billingInfo.country': 'No.' }),
    ).toEqual({
      domains: 'Taken.',
      'billingInfo.country': 'No.',
    })
  })

  it('puts errors of the server on the fields and goes to the first', () => {
    const seen: { errors?: Record<string, string>; asked?: string } = {}
    const form = {
      setErrors: (errors: Record<string, string>) => {
        seen.errors = errors
      },
      getInputNode: (path: string) => {
        seen.asked = path
        return null
      },
    }
    const error = Object.assign(new Error('The request has invalid fields.'), {
      data: {
        code: 'invalid_input',
        httpStatus: 400,
        issues: [{ path: 'ownerEmail', message: 'Nobody with this address has signed in yet.' }],
      },
    })
    rejections(form).onRejected(error)
    expect(seen).toEqual({
      errors: { ownerEmail: 'Nobody with this address has signed in yet.' },
      asked: 'ownerEmail',
    })
  })
})
