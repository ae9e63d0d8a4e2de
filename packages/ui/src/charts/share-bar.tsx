import type { CSSProperties } from 'react'
import classes from './charts.module.css'

/**
 * A part of a whole, 0 to 1, as a bar beside its number. Says nothing to people who hear the page:
 * the number does.
 */
export function ShareBar({ share }: { share: number }) {
  return (
    <div
      className={classes.track}
      aria-hidden
      style={{ '--share': Math.round(share * 1000) / 10 } as CSSProperties}
    >
      <div className={classes.bar} />
    </div>
  )
}
