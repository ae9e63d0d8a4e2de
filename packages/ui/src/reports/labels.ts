import type { Movement, MrrFigure } from '@atrium/core/reports/reports'
import { formatPercent } from '../format.ts'
import { translations } from '../messages.ts'

const t = translations('ui.reports')

/** "12.5%"; a dash where there is no rate. */
export function percent(ratio: number | null): string {
  return ratio === null ? '–' : formatPercent(Math.round(ratio * 1000) / 10)
}

export const figureName = (figure: MrrFigure): string => t(`figures.${figure}`)

export const movementName = (movement: Movement): string => t(`movements.${movement}`)

/** Why tenants left, as people say it; a word that is not known here as it is. */
export function reasonName(reason: string): string {
  const key = `reasons.${reason}` as 'reasons.paused'
  return t.has(key)
    ? t(key)
    : reason.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())
}
