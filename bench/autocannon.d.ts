/** The part of autocannon 9 that the bench calls; the package brings no types. */
declare module 'autocannon' {
  export interface Request {
    method: string
    path: string
    headers?: Record<string, string>
    body?: string
  }
  export interface Client {
    setRequests(requests: readonly Request[]): void
  }
  export interface Options {
    url: string
    connections: number
    /** Seconds; rounded up to the next sample. */
    duration: number
    /** Milliseconds between samples. */
    sampleInt: number
    requests: readonly Request[]
    setupClient(client: Client): void
  }
  export interface Result {
    '2xx': number
    non2xx: number
    errors: number
    timeouts: number
    /** Seconds. */
    duration: number
    /** Milliseconds. */
    latency: { p50: number; p99: number }
  }
  export default function autocannon(options: Options): PromiseLike<Result>
}
