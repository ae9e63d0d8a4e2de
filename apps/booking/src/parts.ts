import type { ConnectApi } from './api.ts'
import type { Assets } from './assets.ts'
import type { BookingConfig } from './config.ts'

/** What the routes need besides a request. */
export interface BookingParts {
  config: BookingConfig
  publicUrl: string
  assets: Assets
  connect: ConnectApi
  /** Milliseconds since 1970. */
  now: () => number
}
