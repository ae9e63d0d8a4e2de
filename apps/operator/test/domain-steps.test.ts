import { expect, it } from 'vitest'
import { domainSteps } from '../src/tenants/domain-steps.ts'

const words = (before: string[], requested: string[]) =>
  domainSteps(before, requested).map(({ act, domain }) => `${act} ${domain}`)

it('sends what was added and removed alone, so that domains of others stay', () => {
  expect(words(['a.test', 'b.test'], ['a.test', 'c.test'])).toEqual(['add c.test', 'remove b.test'])
  expect(words(['a.test'], ['a.test'])).toEqual([])
})

it('makes another domain the primary one before the primary one is removed', () => {
  expect(words(['a.test', 'b.test'], ['b.test'])).toEqual(['make primary b.test', 'remove a.test'])
  expect(words(['a.test'], ['new.test'])).toEqual([
    'add new.test',
    'make primary new.test',
    'remove a.test',
  ])
})
