import { describe, expect, it } from 'vitest'
import { mailGroupOf } from '../../src/account/notifications.ts'

describe('a mail', () => {
  it.each([
    ['booking.host_moved', 'bookings'],
    ['member.second_factor_reminder', 'reminders'],
    ['partner.approval_decided', 'approvals'],
    ['flag.rolled_back', 'rollbacks'],
  ] as const)('like %s is switched off with the group %s', (template, group) => {
    expect(mailGroupOf(template)).toBe(group)
  })

  it.each(['member.password_reset', 'member.invited', 'booking.confirmed'] as const)(
    'like %s is in no group, and always sent',
    (template) => {
      expect(mailGroupOf(template)).toBeUndefined()
    },
  )
})
