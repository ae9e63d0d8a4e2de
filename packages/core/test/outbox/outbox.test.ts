import { pseudoLanguage } from '@atrium/messages/languages'
import { describe, expect, it } from 'vitest'
import { describeTemplate } from '../../src/branding/email-templates.ts'
import { mailTemplateKeys } from '../../src/branding/template-keys.ts'
import { ListMailQueue, mailRetryDelay, maskedAddress } from '../../src/outbox/outbox.ts'

describe('maskedAddress', () => {
  it.each([
    ['mira@acme.test', 'm…@acme.test'],
    ['m@acme.test', 'm…@acme.test'],
    ['"a@b"@acme.test', '"…@acme.test'],
    ['@acme.test', '…'],
    ['nobody', '…'],
    ['', '…'],
  ])('shows %j as %j', (address, shown) => {
    expect(maskedAddress(address)).toBe(shown)
  })
})

describe('mailRetryDelay', () => {
  it('waits longer each time, and gives up after the sixth failure', () => {
    expect([1, 2, 3, 4, 5, 6, 7].map(mailRetryDelay)).toEqual([
      60,
      300,
      1_800,
      7_200,
      43_200,
      undefined,
      undefined,
    ])
  })
})

describe('a template', () => {
  it.each(mailTemplateKeys)('%s has all its descriptions in the catalogue', (key) => {
    const { title, description, variables } = describeTemplate(key, pseudoLanguage)
    for (const text of [title, description, ...variables.map((variable) => variable.description)])
      expect(text).toMatch(/^⟦.+⟧$/)
    for (const { name } of variables) expect(name).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)?$/)
  })
})

it('filters of the queue are strict', () => {
  expect(ListMailQueue.safeParse({ state: 'lost' }).success).toBe(false)
  expect(ListMailQueue.safeParse({ recipient: 'mira@acme.test' }).success).toBe(false)
  expect(ListMailQueue.parse({ state: 'gave_up' })).toEqual({ state: 'gave_up', limit: 50 })
})
