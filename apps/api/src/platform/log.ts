import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/**
 * Structured logs, one JSON object per line. Tokens, cookies and passwords are censored wherever
 * they might be passed by mistake; an error is written with its class, code and stack, its chain of
 * causes included. `facts` are added to every line.
 */
export function createLogger(
  level: string,
  destination?: DestinationStream,
  facts?: () => object,
): Logger {
  const options = {
    level,
    base: { service: 'atrium-platform-api' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: {
      paths: [
        '*.authorization',
        '*.cookie',
        '*.password',
        '*.token',
        '*.tempPassword',
        '*.link',
        'authorization',
        'password',
        'token',
      ],
      censor: '***',
    },
    serializers: { err: describeFailure },
    ...(facts && { mixin: facts }),
  }
  return destination ? pino(options, destination) : pino(options)
}

/**
 * Class, message, code and stack of a failure and of its causes. A database error's `detail`, which
 * quotes row values, stays out.
 */
function describeFailure(error: unknown): unknown {
  if (!isErrorLike(error))
    return { message: typeof error === 'string' ? error : 'not an error object' }
  return {
    type: error.name ?? 'Error',
    message: error.message,
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeFailure(error.cause) }),
  }
}

/** An error, or the job engine's version of one: a plain object with its message. */
function isErrorLike(error: unknown): error is Partial<Error> & Pick<Error, 'message'> {
  return (
    typeof error === 'object' &&
    error !== null &&
    'message' in error &&
    typeof error.message === 'string'
  )
}
