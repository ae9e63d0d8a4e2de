import type { LanguageVariables } from '@atrium/messages/detect-language'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { Formats } from './formats.ts'

export interface AppEnv {
  Bindings: Partial<HttpBindings>
  Variables: LanguageVariables & {
    requestId: string
    /** Texts, dates and times for this visitor. */
    formats: Formats
    /** What the page needs beyond the app's own origin; read when its headers are written. */
    policy: PagePolicy
    /** Of the API, where it rejected: logged beside the status. */
    rejection: string | undefined
    err: unknown
  }
}

export interface PagePolicy {
  /** Hashes of the inlined style sheets, as a policy quotes them. */
  styles: string[]
  /** Origins that images are loaded from. */
  images: string[]
  /** Origins whose pages may show this one in a frame. */
  frameAncestors: readonly string[]
}

export type AppContext = Context<AppEnv>
