const units: Record<string, number> = {
  microseconds: 0.000_001,
  milliseconds: 0.001,
  seconds: 1,
  minutes: 60,
  hours: 3_600,
  days: 86_400,
  weeks: 604_800,
}

/** Seconds of authentik's `hours=1;minutes=2`; undefined when the text is not such a duration. */
export function parseDuration(text: string): number | undefined {
  let seconds = 0
  for (const part of text.split(/[;,]/)) {
    const match = /^\s*([a-z]+)\s*=\s*(-?\d+(?:\.\d+)?)\s*$/.exec(part)
    const unit = units[match?.[1] ?? '']
    if (unit === undefined) return undefined
    seconds += unit * Number(match?.[2])
  }
  return seconds
}
