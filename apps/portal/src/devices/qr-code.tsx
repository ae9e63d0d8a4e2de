import { useMemo } from 'react'
import { encode } from 'uqr'
import classes from './devices.module.css'

interface Props {
  text: string
  /** What scanning it does, for people who do not see it. */
  label: string
}

// Four modules of white on every side, without which cameras do not find the code (ISO/IEC 18004
// section 9.1).
const quietZone = 4

/**
 * A text as a QR code, black on white in both colour schemes, since many readers do not take
 * inverted codes.
 */
export function QrCode({ text, label }: Props) {
  const { size, path } = useMemo(() => drawQr(text), [text])
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

/** The dark modules as one path of runs, in units of a module; `size` includes the quiet zone. */
export function drawQr(text: string): { size: number; path: string } {
  const { data } = encode(text, { ecc: 'M', border: quietZone })
  const runs = data.flatMap((row, y) =>
    runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`),
  )
  return { size: data.length, path: runs.join('') }
}

/** Start and length of each run of dark modules. */
function runsOf(row: readonly boolean[]): [number, number][] {
  const runs: [number, number][] = []
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1)
    if (!dark) continue
    if (last && last[0] + last[1] === x) last[1] += 1
    else runs.push([x, 1])
  }
  return runs
}
