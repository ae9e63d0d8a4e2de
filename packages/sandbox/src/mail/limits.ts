/** The limits of a default installation, as the session resource announces them. */
export const limits = {
  maxSizeUpload: 50_000_000,
  maxConcurrentUpload: 4,
  maxSizeRequest: 10_000_000,
  maxConcurrentRequests: 4,
  maxCallsInRequest: 16,
  maxObjectsInGet: 500,
  maxObjectsInSet: 500,
} as const

/** Results of one query. */
export const maxQueryResults = 5_000
