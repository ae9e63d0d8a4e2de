import { describe, expect, it } from 'vitest'
import {
  formatBytes,
  formatElapsed,
  formatMinutes,
  formatMoney,
  formatRelative,
  fromLocalInput,
  fromMoneyInput,
  toLocalInput,
  toMoneyInput,
} from '../src/format.ts'

const now = new Date('2026-11-21T12:00:00Z')

describe('relative time', () => {
  it.each([
    ['2026-11-21T11:59:30Z', 'now'],
    ['2026-11-21T12:00:30Z', 'now'],
    ['2026-11-21T11:59:10Z', '1 minute ago'],
    ['2026-11-21T11:57:00Z', '3 minutes ago'],
    ['2026-11-21T10:01:00Z', '1 hour ago'],
    ['2026-11-19T12:00:00Z', '2 days ago'],
    ['2026-10-01T12:00:00Z', 'last month'],
    ['2024-11-20T12:00:00Z', '2 years ago'],
    ['2026-11-23T12:00:00Z', 'in 2 days'],
  ])('says %s as "%s"', (at, words) => {
    expect(formatRelative(at, now)).toBe(words)
  })
})

describe('sizes and durations', () => {
  it('names binary units and keeps one decimal at most', () => {
    expect(
      [0, 1023, 1536, 5 * 1024 ** 3, 10 * 1024 ** 4, 2048 * 1024 ** 4].map(formatBytes),
    ).toEqual(['0 B', '1,023 B', '1.5 KB', '5 GB', '10 TB', '2,048 TB'])
  })

  it('counts seconds, then minutes, and never below zero', () => {
    expect([-5_000, 0, 59_999, 60_000, 80_500].map(formatElapsed)).toEqual([
      '0 sec',
      '0 sec',
      '59 sec',
      '1 min 0 sec',
      '1 min 20 sec',
    ])
  })

  it('names days, hours and minutes, and nothing for zero', () => {
    expect([0, 30, 60, 90, 1_440, 2_905].map(formatMinutes)).toEqual([
      '',
      '30 minutes',
      '1 hour',
      '1 hour 30 minutes',
      '1 day',
      '2 days 25 minutes',
    ])
  })
})

describe('date and time fields', () => {
  it('give back the instant they show, to the minute', () => {
    expect(fromLocalInput(toLocalInput('2026-03-29T01:30:00.000Z'))).toBe(
      '2026-03-29T01:30:00.000Z',
    )
  })

  it('take nothing for nothing, and for what is half typed', () => {
    expect([
      fromLocalInput(''),
      fromLocalInput('2026-'),
      toLocalInput(undefined),
      toLocalInput('yesterday'),
    ]).toEqual([undefined, undefined, '', ''])
  })
})

describe('money', () => {
  it.each([
    [1050, 'eur', '€10.50'],
    [5, 'EUR', '€0.05'],
    [-2667, 'eur', '-€26.67'],
    [0, 'eur', '€0.00'],
    [1500, 'jpy', '¥1,500'],
    [1234, 'kwd', '1.234'],
    [123456789, 'isk', '1,234,567.89'],
    [900719925474099, 'eur', '€9,007,199,254,740.99'],
  ])('of %i %s is %s', (minor, currency, shown) => {
    expect(formatMoney(minor, currency).replaceAll('\u00a0', ' ').replace('JP', '')).toContain(
      shown,
    )
  })

  it.each([
    ['10.5', 'eur', 1050],
    ['10,50', 'eur', 1050],
    [' 8 ', 'EUR', 800],
    ['0.05', 'eur', 5],
    ['1500', 'jpy', 1500],
    ['1.234', 'kwd', 1234],
    ['1.5', 'jpy', undefined],
    ['1.234', 'eur', undefined],
    ['-1', 'eur', undefined],
    ['1e3', 'eur', undefined],
    ['ten', 'eur', undefined],
    ['', 'eur', undefined],
  ])('typed as "%s" in %s is %s', (typed, currency, minor) => {
    expect(fromMoneyInput(typed, currency)).toBe(minor)
  })

  it('is read back as it is shown for typing', () => {
    for (const currency of ['eur', 'jpy', 'kwd']) {
      for (const minor of [0, 1, 9, 10, 99, 100, 101, 12_345_678])
        expect(fromMoneyInput(toMoneyInput(minor, currency), currency)).toBe(minor)
    }
  })
})
