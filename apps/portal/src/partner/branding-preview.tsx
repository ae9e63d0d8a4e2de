import { textColorOn } from '@atrium/core/branding/contrast'
import classes from './branding-preview.module.css'

/**
 * A mail in the partner's name and colour. Mails are read on a light page whatever the scheme of
 * this one.
 */
export function BrandingPreview({ name, color }: { name: string; color: string }) {
  return (
    <article className={classes.mail} aria-label={`A mail of ${name}`}>
      <header className={classes.head} style={{ borderTopColor: color }}>
        <strong>{name}</strong>
      </header>
      <div className={classes.body}>
        <p>Hello Mira,</p>
        <p>your place at {name} is ready. Sign in and choose a password to begin.</p>
        <span className={classes.button} style={{ background: color, color: textColorOn(color) }}>
          Sign in
        </span>
        <p className={classes.foot}>You receive this mail because somebody added you to {name}.</p>
      </div>
    </article>
  )
}
