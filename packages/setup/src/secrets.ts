import { randomBytes } from 'node:crypto'
import type { Files } from './files.ts'

/** Random, and may stand in an address: no `/`, `+`, `=` or `@`. */
export const randomSecret = () => randomBytes(32).toString('hex')
const encryptionKey = () => `first:${randomBytes(32).toString('base64')}`

/** A secret of its own file. Made once, then kept: a second run finds it. */
export async function keptSecret(
  files: Files,
  name: string,
  make: () => string = randomSecret,
): Promise<string> {
  const known = (await files.read(`secrets/${name}`))?.trim()
  if (known) return known
  const made = make()
  await files.write(`secrets/${name}`, made)
  return made
}

/** Secrets that this installation makes itself. */
export async function makeSecrets(files: Files) {
  const secret = (name: string, make?: () => string) => keptSecret(files, name, make)
  return {
    postgres: await secret('postgres-password'),
    databaseOwner: await secret('owner-database-password'),
    databaseApi: await secret('api-database-password'),
    databaseIdentity: await secret('authentik-database-password'),
    databaseMail: await secret('mail-database-password'),
    identityKey: await secret('authentik-secret-key'),
    identitySetupToken: await secret('authentik-setup-token'),
    filesAdmin: await secret('files-admin-password'),
    mailSender: await secret('mail-sender-password'),
    grafana: await secret('grafana-password'),
    backup: await secret('backup-passphrase'),
    apiEncryption: await secret('api-encryption-key', encryptionKey),
    portalEncryption: await secret('portal-encryption-key', encryptionKey),
    operatorEncryption: await secret('operator-encryption-key', encryptionKey),
    portalApp: await secret('portal-app-secret'),
    operatorApp: await secret('operator-app-secret'),
    bookingApp: await secret('booking-app-secret'),
  }
}
export type Secrets = Awaited<ReturnType<typeof makeSecrets>>
