import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/**
 * Structured logs of an app's server, one JSON object per line. Tokens, cookies and codes are
 * censored wherever they might slip in.
 */
export function createLogger(
  service: string,
  level: string,
  destination?: DestinationStream,
): Logger {
  const secrets = [
    'authorization',
    'cookie',
    'token',
    'accessToken',
    'refreshToken',
    'idToken',
    'code',
    'state',
    'nonce',
    'verifier',
  ]
  const options = {
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: secrets.flatMap((name) => [name, `*.${name}`]).filter((path) => path !== '*.code'),
      censor: '***',
    },
    serializers: { err: describeFailure },
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Class, message, code and stack of an error and of its causes. Nothing else is logged: OAuth
 * errors contain the whole response of the identity provider, and database errors quote row values.
 */
export function describeFailure(error: unknown): unknown {
  if (!(error instanceof Error))
    return { message: typeof error === 'string' ? error : 'not an error object' }
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { errorCode: error.code } : {}),
    stack: error.stack,
    ...(error.cause instanceof Error ? { cause: describeFailure(error.cause) } : {}),
  }
}
