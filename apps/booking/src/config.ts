import { z } from 'zod'

const address = z.url({ protocol: /^https?$/, error: 'is not an http(s) address' })

const Env = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number({ error: 'is not a port' }).int().min(0).max(65_535),
  PUBLIC_URL: address.refine((url) => new URL(url).href === `${new URL(url).origin}/`, 'has more than scheme, host and port'),
  API_URL: address,
  BOOKING_APP_SECRET: z.string({ error: 'is missing' }).min(32, 'is shorter than 32 characters'),
  TRUSTED_PROXY_HOPS: z.coerce.number({ error: 'is not a number' }).int().min(0).max(10).default(0),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export interface BookingConfig {
  host: string
  port: number
  /** Where browsers reach this server: scheme, host and port, without a slash at the end. */
  publicUrl: string
  apiUrl: string
  /** Shown to the API, which then believes what this server says of a visitor's address; also signs when a form was made. */
  appSecret: string
  /** How many reverse proxies of ours stand in front and append to X-Forwarded-For. */
  trustedProxyHops: number
  logLevel: string
}

/**
 * The settings of the booking app from its environment. Throws one error with one line per fault, naming the variable. Nothing else in
 * the server reads the environment.
 */
export function readBookingConfig(env: Readonly<Record<string, string | undefined>>): BookingConfig {
  // An empty variable means the same as none, as in the files that container tools read.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = Env.safeParse(given)
  if (!parsed.success) {
    const faults = new Map<string, string>()
    for (const { path, message } of parsed.error.issues) {
      const name = path.join('.')
      if (!faults.has(name)) faults.set(name, `  ${name}: ${given[name] === undefined ? 'is missing' : message}`)
    }
    throw new Error(`The configuration is not usable:\n${[...faults.values()].join('\n')}`)
  }
  const e = parsed.data
  return {
    host: e.HOST,
    port: e.PORT,
    publicUrl: new URL(e.PUBLIC_URL).origin,
    apiUrl: e.API_URL,
    appSecret: e.BOOKING_APP_SECRET,
    trustedProxyHops: e.TRUSTED_PROXY_HOPS,
    logLevel: e.LOG_LEVEL,
  }
}
