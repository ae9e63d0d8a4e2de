import { z } from 'zod'
import { type IssueMessageKey, issueText } from '../platform/issue-text.ts'

/** Text on coloured areas is one of these two. */
export const textColors = { white: '#ffffff', dark: '#1b1a17' } as const
/** The brightest page backgrounds behind coloured areas, in the light and the dark scheme. */
export const pageColors = { light: '#ffffff', dark: '#191f24' } as const

/**
 * Smallest contrast of text (WCAG 2.2, 1.4.3, level AA) and of what can be operated (1.4.11) with
 * what is around it.
 */
export const textContrast = 4.5
export const shapeContrast = 3

type Rgb = readonly [number, number, number]

function channels(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

function toHex(rgb: Rgb): string {
  return `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}

/** Relative luminance of a `#rrggbb` colour, 0 to 1 (WCAG 2.2, definitions). */
export function luminance(hex: string): number {
  const [red, green, blue] = channels(hex).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, definitions). */
export function contrastRatio(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

/** The text colour that is read better on the given one. */
export function textColorOn(color: string): string {
  const { white, dark } = textColors
  return contrastRatio(color, white) >= contrastRatio(color, dark) ? white : dark
}

export const contrastChecks = ['text', 'light_page', 'dark_page'] as const

/**
 * A colour that is hard to see somewhere. `nearest` is the colour closest to it that passes every
 * check.
 */
export const ContrastWarning = z.object({
  /**
   * `text`: neither white nor dark text can be read on it. `light_page`, `dark_page`: a button of
   * it is lost on that page.
   */
  check: z.enum(contrastChecks),
  ratio: z.number(),
  required: z.number(),
  nearest: z.string(),
  message: z.string(),
})
export type ContrastWarning = z.infer<typeof ContrastWarning>

const checks = {
  text: {
    ratio: (color: string) => contrastRatio(color, textColorOn(color)),
    required: textContrast,
    says: 'contrastText',
  },
  light_page: {
    ratio: (color: string) => contrastRatio(color, pageColors.light),
    required: shapeContrast,
    says: 'contrastLightPage',
  },
  dark_page: {
    ratio: (color: string) => contrastRatio(color, pageColors.dark),
    required: shapeContrast,
    says: 'contrastDarkPage',
  },
} as const satisfies Record<
  (typeof contrastChecks)[number],
  { ratio: (color: string) => number; required: number; says: IssueMessageKey }
>

/**
 * What is hard to see with this accent colour (`#rrggbb`), worst first; empty when nothing is.
 * Ratios are cut to two places.
 */
export function contrastWarnings(color: string): ContrastWarning[] {
  const failed = contrastChecks.filter((check) => !passes(check, color))
  if (failed.length === 0) return []
  const nearest = nearestColor(color, (candidate) =>
    contrastChecks.every((check) => passes(check, candidate)),
  )
  return failed
    .map((check) => {
      const { ratio, required, says } = checks[check]
      const cut = Math.floor(ratio(color) * 100) / 100
      return { check, ratio: cut, required, nearest, message: issueText(says) }
    })
    .sort((one, other) => one.ratio / one.required - other.ratio / other.required)
}

function passes(check: keyof typeof checks, color: string): boolean {
  return checks[check].ratio(color) >= checks[check].required
}

/**
 * The colour nearest to `color` on the way to black or to white that passes, so that the hue stays;
 * `color` itself when none does.
 */
export function nearestColor(color: string, isGood: (candidate: string) => boolean): string {
  const from = channels(color)
  for (let step = 0; step <= 255; step++) {
    for (const end of [0, 255]) {
      const candidate = toHex(
        from.map((channel) => channel + ((end - channel) * step) / 255) as unknown as Rgb,
      )
      if (isGood(candidate)) return candidate
    }
  }
  return color
}
