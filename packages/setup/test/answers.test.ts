import { describe, expect, it } from 'vitest'
import { AnswersError, askAnswers, readAnswers } from '../src/answers.ts'

const least = { domain: 'example.test', operator: { email: 'olga@example.test', name: 'Olga' } }

describe('answers from a file', () => {
  it('need a domain and an operator; the rest has defaults', () => {
    expect(readAnswers(least)).toEqual({
      ...least,
      backups: { to: 'folder', folder: '/var/backups/atrium' },
      profiles: ['metrics'],
    })
  })

  it.each<[string, object, RegExp]>([
    ['a domain without a dot', { domain: 'localhost' }, /domain: is no domain name/],
    ['an address in place of a domain', { domain: 'https://example.test/' }, /domain:/],
    ['an address that is none', { operator: { email: 'olga', name: 'Olga' } }, /operator\.email/],
    ['an unknown answer', { domian: 'example.test' }, /domian/],
    ['a relative folder', { backups: { to: 'folder', folder: 'backups' } }, /backups\.folder/],
    [
      'a folder that a line of settings cannot hold',
      { backups: { to: 'folder', folder: '/backups\nPORTAL_HOST=evil.test' } },
      /backups\.folder/,
    ],
    ['a storage without keys', { backups: { to: 's3', endpoint: 's3.test' } }, /accessKeyId/],
    ['a profile that is none', { profiles: ['everything'] }, /profiles/],
  ])('are rejected for %s', (_, changed, text) => {
    expect(() => readAnswers({ ...least, ...changed })).toThrow(text)
    expect(() => readAnswers({ ...least, ...changed })).toThrow(AnswersError)
  })

  it('are rejected with every fault at once', () => {
    expect(() => readAnswers({ domain: 'x', operator: {} })).toThrow(
      /domain: .*\n.*operator\.email: .*\n.*operator\.name: /,
    )
  })
})

describe('answers of a person', () => {
  it('are asked again until they can be used', async () => {
    const typed = ['example', 'Example.test', '', 'Olga', 'olga@example.test', '']
    const asked: string[] = []
    const answers = await askAnswers(async (text, preset) => {
      asked.push(text)
      return typed.shift() || (preset ?? '')
    })
    expect(answers).toMatchObject({
      domain: 'example.test',
      operator: { email: 'olga@example.test', name: 'Olga' },
      backups: { to: 'folder', folder: '/var/backups/atrium' },
    })
    expect(asked).toHaveLength(6)
    expect(asked[1]).toMatch(/^This is no domain name/)
  })
})
