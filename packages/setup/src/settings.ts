import type { Answers } from './answers.ts'
import type { Files } from './files.ts'
import type { Names } from './names.ts'
import type { Secrets } from './secrets.ts'

type Settings = Readonly<Record<string, string>>

/** Credentials that the other systems gave. */
export interface Credentials {
  portalClientSecret: string
  operatorClientSecret: string
  identityToken: string
  mailApiKey: string
  filesToken: string
}

export interface Installation {
  answers: Answers
  names: Names
  secrets: Secrets
}

/** The account of OpenCloud that the API signs in as. */
export const filesUser = 'atrium'
/** Local part of the address that the platform's mail comes from. */
export const mailSender = 'no-reply'

/** The settings of each program, by the name of its file in `secrets`. */
export function appSettings(
  { answers, names, secrets }: Installation,
  credentials: Credentials,
): Record<string, Settings> {
  const database = (user: string, password: string, server = 'postgres') =>
    `postgres://${user}:${password}@${server}/atrium`
  const direct = database('atrium_api', secrets.databaseApi)
  const pooled = answers.profiles.includes('pooler')
  const DATABASE_URL = pooled
    ? database('atrium_api', secrets.databaseApi, 'pgbouncer:6432')
    : direct
  const identity = `https://${names.identity}`
  const issuer = (application: string) => `${identity}/application/o/${application}/`
  const sender = `${mailSender}@${names.mailDomain}`
  const shared = { API_URL: 'http://api:4000', TRUSTED_PROXY_HOPS: '1' }
  const portalShared = { ...shared, DATABASE_URL, IDP_TENANT_GROUP_PREFIX: 'tenant-' }
  return {
    'api.env': {
      DATABASE_URL,
      ...(pooled && { DATABASE_DIRECT_URL: direct }),
      PLATFORM_TENANT_DOMAIN: names.tenantDomain,
      MAIL_PROVISIONING_ENABLED: 'true',
      IDP_ISSUER: `${issuer('atrium-portal')},${issuer('atrium-operator')}`,
      IDP_AUDIENCE: 'atrium-portal,atrium-operator',
      IDP_CLI_ISSUER: issuer('atrium-cli'),
      IDP_CLI_AUDIENCE: 'atrium-cli',
      IDP_API_URL: 'http://authentik-server:9000',
      IDP_API_TOKEN: credentials.identityToken,
      IDP_PUBLIC_URL: identity,
      IDP_TENANT_GROUP_PREFIX: 'tenant-',
      MAIL_API_URL: 'http://stalwart:8080',
      MAIL_API_KEY: credentials.mailApiKey,
      FILES_API_URL: 'http://opencloud:9200',
      FILES_API_USER: filesUser,
      FILES_API_TOKEN: credentials.filesToken,
      PORTAL_URL: `https://${names.portal}`,
      OPERATOR_URL: `https://${names.operator}`,
      BOOKING_URL: `https://${names.booking}`,
      PORTAL_APP_SECRET: secrets.portalApp,
      OPERATOR_APP_SECRET: secrets.operatorApp,
      BOOKING_APP_SECRET: secrets.bookingApp,
      ENCRYPTION_KEYS: secrets.apiEncryption,
      SMTP_URL: `smtps://${encodeURIComponent(sender)}:${secrets.mailSender}@${names.mail}:465`,
      SMTP_FROM: `Atrium <${sender}>`,
      AUDIT_HASH_CHAIN: 'on',
      TRUSTED_PROXY_HOPS: '1',
      SHUTDOWN_DRAIN_SECONDS: '5',
    },
    'portal.env': {
      ...portalShared,
      PUBLIC_URL: `https://${names.portal}`,
      IDP_ISSUER: issuer('atrium-portal'),
      OIDC_CLIENT_ID: 'atrium-portal',
      OIDC_CLIENT_SECRET: credentials.portalClientSecret,
      ENCRYPTION_KEYS: secrets.portalEncryption,
      APP_SECRET: secrets.portalApp,
      API_PUBLIC_URL: `https://${names.api}`,
      MAIL_PUBLIC_HOST: names.mail,
      IDP_RECOVERY_FLOW: 'atrium-recovery',
    },
    'operator.env': {
      ...portalShared,
      PUBLIC_URL: `https://${names.operator}`,
      IDP_ISSUER: issuer('atrium-operator'),
      OIDC_CLIENT_ID: 'atrium-operator',
      OIDC_CLIENT_SECRET: credentials.operatorClientSecret,
      ENCRYPTION_KEYS: secrets.operatorEncryption,
      APP_SECRET: secrets.operatorApp,
    },
    'booking.env': {
      ...shared,
      PUBLIC_URL: `https://${names.booking}`,
      BOOKING_APP_SECRET: secrets.bookingApp,
    },
  }
}

/** Files that the parts need before they start. */
export function startFiles({ answers, secrets }: Installation): Record<string, string> {
  return {
    'migrate.env': settingsText({
      DATABASE_MIGRATION_URL: `postgres://atrium_owner:${secrets.databaseOwner}@postgres/atrium`,
    }),
    'pgbouncer-users.txt': `"atrium_api" "${secrets.databaseApi}"\n`,
    'pgbackrest.conf': databaseBackup(answers.backups, secrets.backup),
    'restic.env': settingsText(filesBackup(answers.backups, secrets.backup)),
  }
}

type Backups = Answers['backups']

function databaseBackup(backups: Backups, passphrase: string): string {
  const storage =
    backups.to === 'folder'
      ? ['repo1-path=/backups/database']
      : [
          'repo1-type=s3',
          'repo1-path=/database',
          `repo1-s3-bucket=${backups.bucket}`,
          `repo1-s3-endpoint=${backups.endpoint}`,
          `repo1-s3-region=${backups.region}`,
          `repo1-s3-key=${backups.accessKeyId}`,
          `repo1-s3-key-secret=${backups.secretAccessKey}`,
          'repo1-s3-uri-style=path',
        ]
  return `[global]
${storage.join('\n')}
repo1-cipher-type=aes-256-cbc
repo1-cipher-pass=${passphrase}
# Any moment of the last 30 days can be restored.
repo1-retention-full-type=time
repo1-retention-full=30
repo1-bundle=y
repo1-block=y
compress-type=zst
start-fast=y
log-level-console=info
log-level-file=off
lock-path=/tmp/pgbackrest

[atrium]
pg1-path=/var/lib/postgresql/18/docker
pg1-socket-path=/var/run/postgresql
`
}

function filesBackup(backups: Backups, passphrase: string): Settings {
  if (backups.to === 'folder')
    return { RESTIC_REPOSITORY: '/backups/files', RESTIC_PASSWORD: passphrase }
  return {
    RESTIC_REPOSITORY: `s3:https://${backups.endpoint}/${backups.bucket}/files`,
    RESTIC_PASSWORD: passphrase,
    AWS_ACCESS_KEY_ID: backups.accessKeyId,
    AWS_SECRET_ACCESS_KEY: backups.secretAccessKey,
    AWS_DEFAULT_REGION: backups.region,
  }
}

/** The variables of compose.yaml without the images, which `.env` pins. */
export function composeSettings({ answers, names }: Omit<Installation, 'secrets'>): Settings {
  const { backups } = answers
  return {
    COMPOSE_PROFILES: answers.profiles.join(','),
    ACME_EMAIL: answers.certificateEmail ?? answers.operator.email,
    PORTAL_HOST: names.portal,
    OPERATOR_HOST: names.operator,
    BOOKING_HOST: names.booking,
    API_HOST: names.api,
    IDENTITY_HOST: names.identity,
    FILES_HOST: names.files,
    MAIL_HOST: names.mail,
    MAIL_DOMAIN: names.mailDomain,
    BACKUP_FOLDER: backups.to === 'folder' ? backups.folder : '/var/backups/atrium',
  }
}

const line = /^([A-Za-z_]\w*)=(.*)$/
/** Values without a character that a reader of such files takes for something else. */
const plain = /^[\w./:@,+=%-]*$/

/**
 * `NAME=value` lines, quoted where needed: for Node, Docker Compose and a shell. Throws for a value
 * that no line can hold.
 */
export function settingsText(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => {
      if (/['\n\r]/.test(value)) throw new Error(`${name} has a quote or a line break.`)
      return `${name}=${plain.test(value) ? value : `'${value}'`}\n`
    })
    .join('')
}

/** The settings in a text, without their quotes. */
export function parseSettings(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split('\n').flatMap((row) => {
      const [, name, value = ''] = line.exec(row) ?? []
      return name === undefined ? [] : [[name, value.replace(/^(['"])(.*)\1$/, '$2')]]
    }),
  )
}

/**
 * Sets what setup knows and keeps every other line, such as settings of the payment processor that
 * an operator added. True when the file changed.
 */
export async function mergeSettings(
  files: Files,
  path: string,
  settings: Settings,
): Promise<boolean> {
  const text = (await files.read(path)) ?? ''
  const missing = { ...settings }
  const kept = text.split('\n').map((row) => {
    const name = line.exec(row)?.[1]
    if (name === undefined || !Object.hasOwn(missing, name)) return row
    const set = settingsText({ [name]: missing[name] ?? '' }).trimEnd()
    delete missing[name]
    return set
  })
  const before = kept.join('\n').trimEnd()
  return files.write(path, `${before}${before === '' ? '' : '\n'}${settingsText(missing)}`)
}
