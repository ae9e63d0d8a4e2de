import { describe, expect, it } from 'vitest'
import { createAtriumTheme } from '../src/theme.ts'

const { colors } = createAtriumTheme('tide')

/** Contrast ratio of WCAG 2.2 between two `#rrggbb` colours. */
function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe.each(['tide', 'iris', 'red', 'green', 'yellow', 'gray'])('the scale %s', (name) => {
  const scale = colors?.[name] ?? []

  it('has ten steps from light to dark', () => {
    const steps = scale.map((color) => luminance(color ?? ''))
    expect(steps).toHaveLength(10)
    expect(steps).toEqual([...steps].sort((a, b) => b - a))
  })

  it('carries white text at shade 6, and dark text of shade 7 on shade 0, at 4.5:1 or better', () => {
    expect(contrast(scale[6] ?? '', '#ffffff')).toBeGreaterThanOrEqual(4.5)
    expect(contrast(scale[7] ?? '', scale[0] ?? '')).toBeGreaterThanOrEqual(4.5)
  })
})
