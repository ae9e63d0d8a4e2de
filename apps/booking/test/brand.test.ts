import { contrastRatio, pageColors, textContrast } from '@atrium/core/branding/contrast'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brandStyle } from '../src/brand.ts'

function colorsOf(style: string): Record<'accent' | 'on-accent' | 'accent-text', string>[] {
  return [...style.matchAll(/--accent:(#\w+);--on-accent:(#\w+);--accent-text:(#\w+)/g)].map(
    ([, accent = '', on = '', text = '']) => ({
      accent,
      'on-accent': on,
      'accent-text': text,
    }),
  )
}

describe('the colour of a tenant', () => {
  it('is taken as it is where it can be read', () => {
    expect(colorsOf(brandStyle('#b4391f'))[0]).toMatchObject({
      accent: '#b4391f',
      'on-accent': '#ffffff',
    })
  })

  it('is moved on until text can be read, whatever it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (color) => {
        const [light, dark] = colorsOf(brandStyle(`#${color.toString(16).padStart(6, '0')}`))
        for (const [scheme, page] of [
          [light, pageColors.light],
          [dark, pageColors.dark],
        ] as const) {
          expect(
            contrastRatio(scheme?.accent ?? '', scheme?.['on-accent'] ?? ''),
          ).toBeGreaterThanOrEqual(textContrast)
          expect(contrastRatio(scheme?.['accent-text'] ?? '', page)).toBeGreaterThanOrEqual(
            textContrast,
          )
        }
      }),
      { numRuns: 300 },
    )
  })
})
