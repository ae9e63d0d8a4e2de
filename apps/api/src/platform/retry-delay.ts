const longest = 3600

/** Seconds until failed work is retried: `first` after the first attempt, doubling to an hour. */
export function retryDelaySeconds(attempt: number, first: number): number {
  return Math.min(first * 2 ** Math.max(0, attempt - 1), longest)
}
