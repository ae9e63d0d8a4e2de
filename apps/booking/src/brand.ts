import { createHash } from 'node:crypto'
import {
  contrastRatio,
  nearestColor,
  pageColors,
  shapeContrast,
  textColorOn,
  textContrast,
} from '@atrium/core/branding/contrast'

/**
 * The tenant's colour as the style sheet's variables. What can be read wins over the brand: a
 * colour that is too close to the page or carries no readable text is moved on until it does (WCAG
 * 2.2, 1.4.3 and 1.4.11).
 */
export function brandStyle(accentColor: string): string {
  const light = scheme(accentColor, pageColors.light)
  const dark = scheme(accentColor, pageColors.dark)
  return `:root{${light}}@media(prefers-color-scheme:dark){:root{${dark}}}`
}

function scheme(color: string, page: string): string {
  const area = nearestColor(
    color,
    (candidate) =>
      contrastRatio(candidate, page) >= shapeContrast &&
      contrastRatio(candidate, textColorOn(candidate)) >= textContrast,
  )
  // Slightly more than required: links are also on panels, which are a shade darker or lighter than
  // the page.
  const text = nearestColor(
    color,
    (candidate) => contrastRatio(candidate, page) >= textContrast + 0.9,
  )
  return `--accent:${area};--on-accent:${textColorOn(area)};--accent-text:${text}`
}

const hashes = new Map<string, string>()

/** The hash of an inlined style sheet as a content security policy quotes it. */
export function styleHash(style: string): string {
  const known = hashes.get(style)
  if (known) return known
  const made = `'sha256-${createHash('sha256').update(style).digest('base64')}'`
  if (hashes.size >= 1_000) hashes.clear()
  hashes.set(style, made)
  return made
}
