import { viewerLocale } from '@atrium/ui/page-language'

/** A duration in seconds as one rounded number: "0.4 sec", "12 min", "3 hr". */
export function formatDuration(seconds: number): string {
  if (seconds < 1) return inUnit(seconds, 'second', 1)
  if (seconds < 120) return inUnit(seconds, 'second')
  return seconds < 7_200 ? inUnit(seconds / 60, 'minute') : inUnit(seconds / 3_600, 'hour')
}

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size in bytes, in decimal units: "812 kB", "1.4 GB". */
export function formatSize(bytes: number): string {
  const power = Math.min(
    sizeUnits.length - 1,
    Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)),
  )
  const amount = bytes / 1000 ** power
  return inUnit(amount, sizeUnits[power] ?? 'byte', amount < 10 ? 1 : 0)
}

function inUnit(value: number, unit: string, maximumFractionDigits = 0): string {
  return new Intl.NumberFormat(viewerLocale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits,
  }).format(value)
}
