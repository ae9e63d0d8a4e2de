import { styleNonce } from '@atrium/ui/style-nonce'
import { useMemo } from 'react'
import { framedMail } from './framed-mail.ts'
import classes from './preview.module.css'

/**
 * A mail's HTML as a mail program shows it, in a frame that runs no script and reaches nothing of
 * this page.
 */
export function MailFrame({ title, html }: { title: string; html: string }) {
  const document = useMemo(() => framedMail(html, styleNonce()), [html])
  return <iframe className={classes.frame} title={title} sandbox="" srcDoc={document} />
}
