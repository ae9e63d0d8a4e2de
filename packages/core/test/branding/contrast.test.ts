import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import {
  contrastRatio,
  contrastWarnings,
  luminance,
  nearestColor,
  pageColors,
  textColorOn,
  textColors,
} from '../../src/branding/contrast.ts'

const color = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

describe('the contrast ratio', () => {
  it.each([
    ['#ffffff', '#000000', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
  ])('of %s and %s is %d', (one, other, ratio) => {
    expect(contrastRatio(one, other)).toBeCloseTo(ratio, 1)
    expect(contrastRatio(other, one)).toBe(contrastRatio(one, other))
  })

  property.prop([color, color])('is between 1 and 21', (one, other) => {
    expect(contrastRatio(one, other)).toBeGreaterThanOrEqual(1)
    expect(contrastRatio(one, other)).toBeLessThanOrEqual(21)
    expect(luminance(one)).toBeLessThanOrEqual(1)
  })
})

describe('warnings', () => {
  it.each(['#1f6feb', '#c2410c', '#0f766e', '#d6336c'])('are not given for %s', (accent) => {
    expect(contrastWarnings(accent)).toEqual([])
  })

  it('name what is hard to see, how hard, and the nearest colour that is not', () => {
    expect(contrastWarnings('#fff3b0')).toMatchObject([
      { check: 'light_page', ratio: 1.12, required: 3 },
    ])
    expect(contrastWarnings('#101010')).toMatchObject([{ check: 'dark_page', required: 3 }])
    const [warning, ...others] = contrastWarnings('#767b85')
    expect(others).toEqual([])
    expect(warning).toMatchObject({ check: 'text', required: 4.5 })
    expect(warning?.ratio).toBeLessThan(4.5)
  })

  property.prop([color])(
    'propose a colour that passes, and none where nothing has to change',
    (accent) => {
      for (const { nearest, ratio, required } of contrastWarnings(accent)) {
        expect(ratio).toBeLessThan(required)
        expect(nearest).toMatch(/^#[0-9a-f]{6}$/)
        expect(contrastWarnings(nearest)).toEqual([])
      }
      expect(nearestColor(accent, () => true)).toBe(accent)
    },
  )

  property.prop([color])('prefer the text colour that is read better', (accent) => {
    const chosen = textColorOn(accent)
    for (const text of Object.values(textColors))
      expect(contrastRatio(accent, chosen)).toBeGreaterThanOrEqual(contrastRatio(accent, text))
  })

  it('are about pages that differ', () => {
    expect(contrastRatio(pageColors.light, pageColors.dark)).toBeGreaterThan(10)
  })
})
