/** The entry of the package: REST client, paging and errors. */
// biome-ignore-all lint/performance/noBarrelFile: a published package has one entry
export {
  type AtriumClient,
  type ClientOptions,
  type ConnectionOptions,
  createAtriumClient,
} from './client.ts'
export type { AtriumEvent, EventOf, EventType, WebhookMessage } from './events.ts'
export type { components, operations, paths } from './generated/openapi.ts'
export { type ItemOf, listItems, type PagedPath } from './paging.ts'
export { ApiError, dataOf, type Problem, type Result } from './problem.ts'
export type { RetryOptions } from './retries.ts'
