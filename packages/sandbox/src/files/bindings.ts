import type { Visit } from './world.ts'

/** What the routes find on Hono's context: the signed-in visit. */
export interface FilesBindings {
  readonly Variables: { readonly visit: Visit }
}
