import { textColorOn } from '@atrium/core/branding/contrast'
import { translations } from '@atrium/ui/messages'
import classes from './branding-preview.module.css'

const t = translations('portal.partner-branding')

/**
 * A mail in the partner's name and colour. Mails are read on a light page whatever the scheme of
 * this one.
 */
export function BrandingPreview({ name, color }: { name: string; color: string }) {
  return (
    <article className={classes.mail} aria-label={t('preview.label', { product: name })}>
      <header className={classes.head} style={{ borderTopColor: color }}>
        <strong>{name}</strong>
      </header>
      <div className={classes.body}>
        <p>{t('preview.greeting')}</p>
        <p>{t('preview.text', { product: name })}</p>
        <span className={classes.button} style={{ background: color, color: textColorOn(color) }}>
          {t('preview.button')}
        </span>
        <p className={classes.foot}>{t('preview.foot', { product: name })}</p>
      </div>
    </article>
  )
}
