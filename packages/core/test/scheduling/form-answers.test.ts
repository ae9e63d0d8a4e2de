import { describe, expect, it } from 'vitest'
import type { FormField } from '../../src/scheduling/event-types.ts'
import { checkAnswers, enteredPhone } from '../../src/scheduling/form-answers.ts'

const field = (key: string, kind: FormField['kind'], more: Partial<FormField> = {}): FormField => ({
  key,
  label: key,
  kind,
  required: false,
  ...more,
})

describe('responses to a form', () => {
  it('are kept as text, tidied, and without those that say nothing', () => {
    const fields = [
      field('name', 'text'),
      field('why', 'long_text'),
      field('tel', 'phone'),
      field('size', 'choice', { options: ['S', 'L'] }),
      field('ok', 'checkbox'),
    ]
    expect(
      checkAnswers(fields, {
        name: ' Acme ',
        why: 'one\r\ntwo',
        tel: '+49 30 1234',
        size: 'L',
        ok: 'false',
      }),
    ).toEqual({
      issues: [],
      answers: { name: 'Acme', why: 'one\ntwo', tel: '+49 30 1234', size: 'L', ok: 'false' },
    })
    expect(checkAnswers(fields, { name: ' ', why: '', ok: '' })).toEqual({
      issues: [],
      answers: {},
    })
  })

  it.each([
    ['text', 'two\nlines'],
    ['text', 'x'.repeat(201)],
    ['long_text', 'x'.repeat(2_001)],
    ['long_text', 'hidden\u0000'],
    ['phone', 'call me'],
    ['choice', 's'],
    ['choice', 'constructor'],
    ['checkbox', 'yes'],
  ] as const)('refuse a %s of %j', (kind, value) => {
    const fields = [field('it', kind, kind === 'choice' ? { options: ['S', 'L'] } : {})]
    expect(checkAnswers(fields, { it: value })).toMatchObject({
      issues: [{ path: 'answers.it' }],
      answers: {},
    })
  })

  it('name missing and unknown answers', () => {
    const fields = [
      field('terms', 'checkbox', { required: true }),
      field('name', 'text', { required: true }),
    ]
    expect(
      checkAnswers(fields, { terms: 'false', toString: 'x' }).issues.map(({ path }) => path),
    ).toEqual([...['answers.toString', 'answers.terms', 'answers.name']])
  })

  it('say where the visitor is called: the number that was required, else one that was given', () => {
    const fields = [field('other', 'phone'), field('main', 'phone', { required: true })]
    expect(enteredPhone(fields, { other: '1', main: '2' })).toBe('2')
    expect(enteredPhone([field('other', 'phone')], { other: '1' })).toBe('1')
    expect(enteredPhone([field('name', 'text')], { name: 'x' })).toBeNull()
    expect(enteredPhone([field('other', 'phone')], {})).toBeNull()
  })

  it('are accepted up to the bounds, and a required checkbox by agreeing', () => {
    const fields = [
      field('name', 'text'),
      field('why', 'long_text'),
      field('terms', 'checkbox', { required: true }),
    ]
    const answers = { name: 'x'.repeat(200), why: 'x'.repeat(2_000), terms: 'true' }
    expect(checkAnswers(fields, answers)).toEqual({ issues: [], answers })
  })
})
