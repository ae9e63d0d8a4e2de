import { done, failed } from '../done.ts'
import { translations } from '../messages.ts'

const t = translations('ui.webhook-endpoints')

/** Says whether an endpoint accepted what was sent to it now. */
export function saySent(ok: boolean): void {
  if (ok) done(t('sent.ok'))
  else failed(t('sent.failed'), t('sent.reason'))
}
