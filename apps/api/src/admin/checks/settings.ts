import {
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import type { Config } from '../../platform/config.ts'

/** What an installation lacks through settings that are absent. Invalid ones end the start. */
export function checkSettings(config: Config): SetupFinding[] {
  const lacking: readonly (readonly [absent: boolean, setting: string, effect: string])[] = [
    [!config.production, 'NODE_ENV', 'is not "production": insecure settings are accepted.'],
    [!config.identity, 'IDP_API_URL', 'is not set: no identities are created.'],
    [!config.mail, 'MAIL_API_URL', 'is not set: there are no mailboxes.'],
    [
      config.mail !== null && !config.mailProvisioning,
      'MAIL_PROVISIONING_ENABLED',
      'is off: tenants get no mailboxes.',
    ],
    [!config.files, 'FILES_API_URL', 'is not set: tenants get no file spaces.'],
    [!config.smtp, 'SMTP_URL', 'is not set: mails wait in the queue.'],
    [!config.portalUrl, 'PORTAL_URL', 'is not set: nobody outside proved domains can be invited.'],
    [!config.keyring, 'ENCRYPTION_KEYS', 'is not set: scheduling is off.'],
    [
      !config.appSecrets.portal,
      'PORTAL_APP_SECRET',
      'is not set: addresses and countries of people in the portal are unknown.',
    ],
    [
      !config.appSecrets.operator,
      'OPERATOR_APP_SECRET',
      'is not set: addresses of operators are unknown.',
    ],
    [
      config.billing.paymentsEnabled && config.payments === null,
      'STRIPE_SECRET_KEY',
      'is not set while BILLING_PAYMENTS_ENABLED is on: payment calls fail.',
    ],
    [
      config.payments !== null && config.seller.missing.length > 0,
      'SELLER_NAME and others',
      `are not complete, so no invoices are issued: ${config.seller.missing.join(', ')}.`,
    ],
  ]
  const findings = lacking.flatMap(([absent, setting, effect]) =>
    absent ? [warning(`setting ${setting}`, effect)] : [],
  )
  return [ok('settings can be used'), ...findings]
}
