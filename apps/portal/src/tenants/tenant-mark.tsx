import { readableOn } from './colors.ts'
import classes from './tenant-mark.module.css'

interface Props {
  name: string
  /** The workplace's own `#rrggbb`, or null for a neutral one. */
  color: string | null
  size: number
}

/** First letter of a workplace on its brand colour. Decorative, its name is always beside it. */
export function TenantMark({ name, color, size }: Props) {
  const own = color ? { backgroundColor: color, color: readableOn(color) } : {}
  return (
    <span
      aria-hidden
      className={classes.mark}
      style={{ width: size, height: size, fontSize: size * 0.46, ...own }}
    >
      {[...name.trim()][0]?.toUpperCase()}
    </span>
  )
}
