import { drainSeconds, readSettings } from '@atrium/core/platform/settings'
import { z } from 'zod'

const address = z.url({ protocol: /^https?$/, error: 'is not an http(s) address' })
const port = z.coerce.number({ error: 'is not a port' }).int().min(0).max(65_535)

const shape = {
  HOST: z.string().default('127.0.0.1'),
  PORT: port,
  METRICS_PORT: port.optional(),
  PUBLIC_URL: address.refine(
    (url) => new URL(url).href === `${new URL(url).origin}/`,
    'has more than scheme, host and port',
  ),
  API_URL: address,
  BOOKING_APP_SECRET: z.string(),
  TRUSTED_PROXY_HOPS: z.coerce.number({ error: 'is not a number' }).int().min(0).max(10).default(0),
  SHUTDOWN_DRAIN_SECONDS: drainSeconds,
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
}

export interface BookingConfig {
  host: string
  port: number
  /** Where Prometheus reads metrics; undefined for no metrics. */
  metricsPort?: number | undefined
  /** Where browsers reach this server: scheme, host and port, without a slash at the end. */
  publicUrl: string
  apiUrl: string
  /**
   * Shown to the API, which then believes what this server says of a visitor's address; also signs
   * when a form was made.
   */
  appSecret: string
  /** How many trusted reverse proxies append to X-Forwarded-For. */
  trustedProxyHops: number
  /** How long a stopping server still takes requests while `/health/ready` is 503. */
  drainSeconds: number
  logLevel: string
}

/**
 * The settings of the booking app from its environment. Throws SettingsError with one line per
 * faulty variable. Nothing else in the server reads the environment.
 */
export function readBookingConfig(
  env: Readonly<Record<string, string | undefined>>,
): BookingConfig {
  const e = readSettings(env, { shape, ownSecrets: ['BOOKING_APP_SECRET'] })
  return {
    host: e.HOST,
    port: e.PORT,
    metricsPort: e.METRICS_PORT,
    publicUrl: new URL(e.PUBLIC_URL).origin,
    apiUrl: e.API_URL,
    appSecret: e.BOOKING_APP_SECRET,
    trustedProxyHops: e.TRUSTED_PROXY_HOPS,
    drainSeconds: e.SHUTDOWN_DRAIN_SECONDS,
    logLevel: e.LOG_LEVEL,
  }
}
