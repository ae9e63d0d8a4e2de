import { mergeChanges } from '@atrium/ui/follow-record'
import { describe, expect, it } from 'vitest'

const before = { name: 'Acme', seats: 5, recipients: ['a@x.test', 'b@x.test'] }

describe('a record changed by another person while a form is open', () => {
  it('gives the form the fields that were not touched, and leaves what was typed', () => {
    const merged = mergeChanges(before, { ...before, seats: 9 }, { ...before, name: 'Acme Works' })
    expect(merged).toEqual({ values: { ...before, name: 'Acme Works', seats: 9 }, conflicts: {} })
  })

  it('shows both values of a field that was changed on both sides', () => {
    const merged = mergeChanges(
      before,
      { ...before, name: 'Acme Ltd' },
      { ...before, name: 'Acme Works' },
    )
    expect(merged.values.name).toBe('Acme Works')
    expect(merged.conflicts).toEqual({
      name: 'Someone else saved “Acme Ltd” here in the meantime. Saving replaces it with your value.',
    })
  })

  it('is no conflict when both sides saved the same', () => {
    expect(mergeChanges(before, { ...before, seats: 9 }, { ...before, seats: 9 })).toEqual({
      values: { ...before, seats: 9 },
      conflicts: {},
    })
  })

  it('merges a group field by field', () => {
    const group = { contact: { name: 'Ann', phone: '1' } }
    const merged = mergeChanges(
      group,
      { contact: { name: 'Ann', phone: '2' } },
      { contact: { name: 'Bea', phone: '1' } },
    )
    expect(merged).toEqual({ values: { contact: { name: 'Bea', phone: '2' } }, conflicts: {} })
    const both = mergeChanges(
      group,
      { contact: { name: '', phone: '1' } },
      { contact: { name: 'Bea', phone: '1' } },
    )
    expect(both.conflicts).toEqual({ 'contact.name': expect.stringContaining('an empty value') })
  })

  it('keeps what either side added to a list, without what either side removed', () => {
    const now = { ...before, recipients: ['a@x.test', 'b@x.test', 'bob@x.test'] }
    const typed = { ...before, recipients: ['b@x.test', 'mine@x.test'] }
    expect(mergeChanges(before, now, typed).values.recipients).toEqual([
      'b@x.test',
      'bob@x.test',
      'mine@x.test',
    ])
    const emptied = { ...before, recipients: ['b@x.test'] }
    expect(mergeChanges(before, emptied, typed).values.recipients).toEqual([
      'b@x.test',
      'mine@x.test',
    ])
  })
})
