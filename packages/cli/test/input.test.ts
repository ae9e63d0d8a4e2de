import { describe, expect, it } from 'vitest'
import { UsageError } from '../src/failure.ts'
import { choicesOf, isPlainList, placeholderOf, readJson, readOption } from '../src/input.ts'
import { pathParameters, readOperations } from '../src/operations.ts'
import { renderRows } from '../src/output.ts'
import { checkAddress } from '../src/profile-file.ts'
import { isSettled, progressOf, watch, watchedAfter } from '../src/watch.ts'

describe('an option', () => {
  const nullable = { anyOf: [{ type: 'integer' }, { type: 'null' }] }
  const list = { type: 'array', items: { type: 'integer' } }

  it('has the type of its field', () => {
    expect(readOption('name', { type: 'string' }, '7')).toBe('7')
    expect(readOption('seats', { type: 'integer' }, '7')).toBe(7)
    expect(readOption('seats', nullable, 'null')).toBeNull()
    expect(readOption('days', list, ['1', '2'])).toEqual([1, 2])
    expect(readOption('quote', { type: 'object' }, '{"a":1}')).toEqual({ a: 1 })
    expect(readOption('open', { type: 'boolean' }, false)).toBe(false)
  })

  it.each([
    [{ type: 'integer' }, 'many'],
    [{ type: 'integer' }, '{}'],
    [{ type: 'object' }, '{'],
  ])('is rejected with a sentence when it is not of type %j', (schema, given) => {
    expect(() => readOption('value', schema, given)).toThrow(UsageError)
  })

  it('says what it takes', () => {
    expect(choicesOf({ anyOf: [{ enum: ['en', 'de'] }, { type: 'null' }] })).toEqual(['en', 'de'])
    expect(choicesOf({ anyOf: [{ const: 'end' }, { type: 'string' }] })).toEqual([])
    expect(placeholderOf('days', list)).toBe('<days...>')
    expect(isPlainList({ type: 'array', items: { type: 'object' } })).toBe(false)
  })

  it('reads JSON and says what is none', async () => {
    expect(await readJson('{"a":1}')).toEqual({ a: 1 })
    await expect(readJson('{')).rejects.toThrow(UsageError)
    await expect(readJson('@/nowhere.json')).rejects.toThrow(UsageError)
  })
})

describe('an address', () => {
  it('is https, or http of this machine', () => {
    expect(checkAddress('https://api.example.com/')).toBe('https://api.example.com')
    expect(checkAddress('http://127.0.0.1:4000')).toBe('http://127.0.0.1:4000')
  })

  it.each([
    'http://api.example.com',
    'ftp://localhost',
    'api.example.com',
    'http://localhost.evil.test',
  ])('is rejected when it would send the token in the clear: %s', (address) => {
    expect(() => checkAddress(address)).toThrow(UsageError)
  })
})

describe('a table', () => {
  it('shows what fits, and no control characters of values', () => {
    const rows = [{ id: '1', name: 'A\u001b[31mred', note: 'x'.repeat(100), tags: ['a'] }]
    const table = renderRows(rows, 40)
    expect(table).toContain('A [31mred')
    expect(table).not.toMatch(/xxx|tags/)
    expect(renderRows([], 40)).toBe('None.')
  })
})

describe('work', () => {
  it.each([
    [{ state: 'running', total: 3 }, false],
    [{ state: 'done', total: 3 }, true],
    [{ provisioningStatus: { mail: 'ok', files: 'pending' } }, false],
    [{ provisioningStatus: { mail: 'ok', files: 'error' } }, true],
    [{ outcomes: { mail: 'ok' } }, true],
    [{ items: [] }, false],
    [null, false],
  ])('is done or not: %j is %s', (data, settled) => {
    expect(isSettled(data)).toBe(settled)
  })

  it.each([
    [{ counts: { total: 40, ready: 20, running: 8, created: 12 } }, '12 of 40 rows'],
    [{ provisioningStatus: { mail: 'ok', files: 'pending' } }, 'mail ok, files pending'],
    [{ name: 'Acme' }, undefined],
    [null, undefined],
  ])('says how far it is: %j', (data, progress) => {
    expect(progressOf(data)).toBe(progress)
  })

  it('is shown at each change, with its progress, until it is done', async () => {
    const states = ['pending', 'pending', 'ok'].map((mail) => ({ provisioningStatus: { mail } }))
    const left = [...states]
    const shown: unknown[] = []
    const told: string[] = []
    await watch(
      async () => left.shift(),
      (data) => shown.push(data),
      (text) => told.push(text),
      1,
    )
    expect(shown).toEqual([states[0], states[2]])
    expect(told).toEqual([
      expect.stringMatching(/^mail pending \(\d+ s\)$/),
      expect.stringMatching(/^mail ok \(\d+ s\)$/),
    ])
    expect(left).toEqual([])
  })

  it('is not shown again as it was shown before', async () => {
    const created = { outcomes: { mail: 'ok' } }
    const shown: unknown[] = []
    await watch(
      async () => ({ ...created }),
      (data) => shown.push(data),
      () => {},
      1,
      created,
    )
    expect(shown).toEqual([])
  })

  it('reads records with operations that exist', () => {
    const operations = new Map(readOperations().map((operation) => [operation.name, operation]))
    for (const [name, { read, parameter }] of Object.entries(watchedAfter)) {
      expect(operations.get(name)?.changes, name).toBe(true)
      expect(operations.get(read), name).toMatchObject({ changes: false, output: 'record' })
      expect(pathParameters(operations.get(read)?.path ?? '')).toContain(parameter)
    }
  })
})
