import type { JsonObject } from './json.ts'

const fixedDescriptions = {
  requestTooLarge:
    'The number of ids requested by the client exceeds the maximum number the server is willing to process in a single method call.',
  anchorNotFound:
    'An anchor argument was supplied, but it cannot be found in the results of the query.',
  accountNotFound: 'The accountId does not correspond to a valid account',
  serverUnavailable: 'This server is temporarily unavailable.',
} as const

type MethodErrorType =
  | keyof typeof fixedDescriptions
  | 'forbidden'
  | 'invalidArguments'
  | 'unknownMethod'
  | 'invalidResultReference'
  | 'unsupportedFilter'
  | 'unsupportedSort'
  | 'stateMismatch'
  | 'cannotCalculateChanges'

/** Fails a whole method call: `["error", {type, description}, callId]` under HTTP 200. */
export class MethodError extends Error {
  readonly type: MethodErrorType

  constructor(type: MethodErrorType, description = '') {
    super(
      description ||
        (type in fixedDescriptions
          ? fixedDescriptions[type as keyof typeof fixedDescriptions]
          : ''),
    )
    this.type = type
  }

  toJson(): JsonObject {
    return { type: this.type, ...(this.message && { description: this.message }) }
  }
}

export interface ObjectId {
  readonly object: string
  readonly id: string
}

export interface ValidationProblem {
  readonly type: 'Required' | 'Invalid'
  readonly property: string
  readonly value?: string
}

export interface SetErrorDetails {
  readonly description?: string
  readonly properties?: readonly string[]
  readonly objectId?: ObjectId
  readonly linkedObjects?: readonly ObjectId[]
  readonly validationErrors?: readonly ValidationProblem[]
}

type SetErrorType =
  | 'forbidden'
  | 'overQuota'
  | 'notFound'
  | 'invalidPatch'
  | 'willDestroy'
  | 'invalidProperties'
  | 'validationFailed'
  | 'invalidForeignKey'
  | 'primaryKeyViolation'
  | 'objectIsLinked'
  | 'calendarHasEvent'

/** Fails one object of a `/set`: an entry of `notCreated`, `notUpdated` or `notDestroyed`. */
export class SetError extends Error {
  readonly type: SetErrorType
  readonly details: SetErrorDetails

  constructor(type: SetErrorType, details: SetErrorDetails = {}) {
    super(details.description ?? type)
    this.type = type
    this.details = details
  }

  toJson(): JsonObject {
    const { description, properties, objectId, linkedObjects, validationErrors } = this.details
    return {
      type: this.type,
      ...(description !== undefined && { description }),
      ...(properties && { properties }),
      ...(objectId && { objectId: { ...objectId } }),
      ...(linkedObjects && { linkedObjects: linkedObjects.map((linked) => ({ ...linked })) }),
      ...(validationErrors && {
        validationErrors: validationErrors.map((problem) => ({ ...problem })),
      }),
    }
  }
}
